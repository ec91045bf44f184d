"""The program at work: runs that end well, and runs that do not."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from conftest import CAVITY, UNSTABLE

import lbmsim


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
    with pytest.raises(lbmsim.RunError, match="holds the results") as e:
        lbmsim.run(cavity, progress=False)
    assert e.value.code == 2
    assert not isinstance(e.value, lbmsim.CaseError)
    assert lbmsim.run(cavity, progress=False, overwrite=True).summary is not None


def test_a_bar_shows_the_speed(cavity: lbmsim.Case) -> None:
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        lbmsim.run(cavity)
    last = shown.getvalue().split("\r")[-1]
    assert "cavity: 100%" in last
    assert "400/400" in last
    assert "MLUPS" in last


def test_warnings(cavity: lbmsim.Case) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lbmsim.run(cavity, progress=False, set={"scaling.lattice_velocity": 0.1})
    told = [w for w in caught if issubclass(w.category, lbmsim.RunWarning)]
    assert any("Mach number" in str(w.message) for w in told)
    assert {Path(w.filename).name for w in told} == {"test_run.py"}


def test_a_warning_about_the_machine_comes_once(
    cavity: lbmsim.Case, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep on a machine without a GPU says so once."""
    program = folder / "program"
    said = ("no GPU: no driver; computing on the CPU", "Mach number 0.2 is above 0.1")
    events = "\n".join(f"""echo '{json.dumps({"event": "warning", "data": text})}'""" for text in said)
    program.write_text(f"#!/bin/sh\n{events}\n")
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


def test_a_warning_may_be_an_error(cavity: lbmsim.Case) -> None:
    with warnings.catch_warnings(), pytest.raises(lbmsim.RunWarning):
        warnings.simplefilter("error")
        lbmsim.run(cavity, progress=False, set={"scaling.lattice_velocity": 0.1, "run.steps": 1000000000})
    assert not lbmsim.open("out/cavity").running


def test_restart(cavity: lbmsim.Case, cavity_run: lbmsim.Result) -> None:
    """A run in two parts leaves what a run in one leaves."""
    first = lbmsim.run(cavity, progress=False, set={"run.steps": 200}, restart="auto")
    assert [c.step for c in first.checkpoints] == [150, 200]
    whole = lbmsim.run(cavity, progress=False, restart="latest")
    assert whole.summary is not None
    assert whole.summary["steps"] == 200
    ours, theirs = whole.fields.sortby("step"), cavity_run.fields
    assert list(ours.step.values) == [100, 200, 300, 400]
    assert (ours.velocity == theirs.velocity).all()
    # From a checkpoint by its path.
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
    """A script that runs a case, and gets Ctrl-C as a terminal gives it: all of its process group."""
    Path("case.toml").write_text(CAVITY)
    script = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(ranks=ranks)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    # The first checkpoint is on disk: the run is well under way.
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
    assert f"interrupted: the run has ended at step {result.status['step']}" in told
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
    # The first one may have been quick enough.
    assert script.returncode in (7, 1, -signal.SIGINT), told
    status = lbmsim.open("out/case").status
    assert status is not None
    with pytest.raises(ProcessLookupError):
        os.kill(status["process"], 0)


def test_two_ranks_give_the_same_bits(cavity: lbmsim.Case, cavity_run: lbmsim.Result, mpirun: str) -> None:
    result = lbmsim.run(cavity, ranks=2, progress=False)
    assert result.status is not None
    assert result.status["ranks"] == 2
    assert (result.fields.velocity == cavity_run.fields.velocity).all()
    assert lbmsim.diff(result.path / "probe_centre.csv", cavity_run.path / "probe_centre.csv").same
    # A launcher with options; an error comes from it with the program's words.
    with pytest.raises(lbmsim.RunError, match="holds the results") as e:
        lbmsim.run(cavity, ranks=2, progress=False, launcher=[*mpirun.split(), "--bind-to", "none"])
    assert e.value.code == 2


def test_launchers(cavity: lbmsim.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(lbmsim.Error, match="no-such-launcher"):
        lbmsim.run(cavity, ranks=2, launcher="no-such-launcher")
    with pytest.raises(ValueError, match="at least 1"):
        lbmsim.run(cavity, ranks=0)
    # env is a launcher, too, if a strange one: it has no -n.
    with pytest.raises(lbmsim.RunError) as e:
        lbmsim.run(cavity, launcher="env", progress=False)
    assert "no exit code of lbmsim" in e.value.meaning or e.value.code == 1


def test_study() -> None:
    study = lbmsim.study(lbmsim.example("taylor_green_2d"), first=0.25, levels=3, device="cpu")
    assert [level["cells"][0] for level in study.data["levels"]] == [16, 32, 64]
    table = study.table
    assert 1.8 < table["order"].loc["expect.velocity.l2"] < 2.2
    assert list(table.columns)[:3] == [level["spacing"] for level in study.data["levels"]]
    assert repr(study).startswith("<lbmsim.Study of Taylor-Green")
    with pytest.raises(lbmsim.CaseError, match=r"taylor_green_2d\.toml"):
        bad = lbmsim.example("taylor_green_2d")
        bad["fluid.viscosity"] = 1
        lbmsim.study(bad)


def test_study_of_ranks(mpirun: str) -> None:
    study = lbmsim.study(lbmsim.example("taylor_green_2d"), first=0.25, levels=2, ranks=2, device="cpu")
    assert len(study.data["levels"]) == 2


def test_diff(cavity: lbmsim.Case, cavity_run: lbmsim.Result) -> None:
    assert lbmsim.diff(cavity_run, cavity_run.path).same
    other = lbmsim.run(cavity, progress=False, set={"boundary.lid.velocity": ["1.1 mm/s", 0]})
    difference = lbmsim.diff(other, cavity_run)
    assert not difference.same
    assert repr(difference) == "<lbmsim.Diff: different>"
    row = difference.table.query("name == 'velocity'").iloc[-1]
    assert row.unit == "m/s"
    assert 0 < row.l2 < 1
    assert lbmsim.diff(
        cavity_run.path / "fields/fields_0000000400.hdf", other.path / "fields/fields_0000000400.hdf", tolerance=0.5
    ).same
    with pytest.raises(lbmsim.RunError, match="no-such-thing"):
        lbmsim.diff("no-such-thing", cavity_run)


def test_program(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    ours = lbmsim.program()
    monkeypatch.setenv("LBMSIM", "no-such-program")
    with pytest.raises(lbmsim.Error, match="LBMSIM names no-such-program"):
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
