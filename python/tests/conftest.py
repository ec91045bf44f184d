# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs of the real program, on cases that take a second.

The program is bin/lbmsim of the source tree, or the one that LBMSIM names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import lbmsim

ROOT = Path(__file__).parents[2]

# The ranks of a test share two cores with other tests, and root is whom containers have.
os.environ.setdefault("LBMSIM", str(ROOT / "bin" / "lbmsim"))
os.environ.update(
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_hwloc_base_binding_policy="none",
    PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
    PRTE_MCA_hwloc_default_binding_policy="none",
    HWLOC_COMPONENTS="-gl",
)

REFINED = """\
[domain]
size = ["{dims[0]} mm", "{dims[1]} mm"{third}]
spacing = "1 mm"
origin = ["-4 mm", 0{zero}]

[fluid]
density = "1000 kg/m3"
viscosity = "1e-6 m2/s"

[scaling]
lattice_velocity = 0.05

[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = ["10 mm/s", 0{zero}]

[boundary.walls]
type = "wall"
faces = [{walls}]

[refine.corner]
level = 1
from = ["3 mm", "4 mm"{low}]
to = ["12 mm", "{dims[1]} mm"{high}]

[refine.side]
level = 1
from = ["0 mm", "5 mm"{low}]
to = ["3 mm", "9 mm"{high}]

[refine.inner]
level = 2
from = ["4.5 mm", "5.5 mm"{low2}]
to = ["7.5 mm", "8 mm"{high2}]

[run]
steps = 30

[device]
kind = "cpu"

[output.fields]
fields = ["density", "velocity", "solid"]
precision = "float64"
every = 15

[output.averages]
fields = ["mean_velocity", "reynolds_stress"]
precision = "float64"
sample_every = 30

[output.series.means]
quantities = ["mean_density"]
every = 15
"""

REFINED_PLANE = """
[output.plane.across]
normal = "x"
at = "6 mm"
fields = ["velocity"]
every = 15
"""

CAVITY = """\
title = "A small cavity"

[domain]
size = ["10 cm", "10 cm"]
cells = [24, 24]

[fluid]
density = "1000 kg/m3"
viscosity = "1e-6 m2/s"   # of water

[scaling]
lattice_velocity = 0.05

[boundary.lid]
type = "moving_wall"
faces = ["y+"]
velocity = ["1 mm/s", 0]

[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]

[run]
steps = 400

[device]
kind = "cpu"

[output.fields]
fields = ["pressure", "velocity", "vorticity"]
every = 100

[output.picture]

[output.probe.centre]
at = ["5 cm", "5 cm"]
every = 50

[checkpoint]
every = 150
"""

# All kinds of output, in 3D, with a body and with another that it is made of.
SPHERE = """\
title = "A drilled ball in a stream"

[domain]
size = ["40 mm", "20 mm", "10 mm"]
cells = [40, 20, 10]
origin = ["-5 mm", 0, 0]
periodic = ["z"]

[fluid]
density = "1000 kg/m3"
viscosity = "1e-6 m2/s"

[scaling]
tau = 0.8

[boundary.inlet]
type = "velocity"
faces = ["x-"]
velocity = ["1 mm/s", 0, 0]

[boundary.outlet]
type = "outflow"
faces = ["x+"]

[boundary.walls]
type = "wall"
faces = ["y-", "y+"]

[body.whole]
shape = "sphere"
centre = ["5 mm", "10 mm", "5 mm"]
radius = "4 mm"

[body.hole]
shape = "cylinder"
axis = "y"
centre = ["5 mm", "10 mm", "5 mm"]
radius = "1.5 mm"

[body.ball]
shape = "difference"
of = ["whole", "hole"]

[body.post]
shape = "box"
from = ["20 mm", "8 mm", "0 mm"]
to = ["24 mm", "12 mm", "10 mm"]

[run]
steps = 200

[device]
kind = "cpu"

[output.fields]
fields = ["pressure", "velocity", "solid"]
every = 50
at_start = true
files = 2

[output.averages]
start = 100
every = 100

[output.plane.middle]
normal = "y"
every = 100

[output.plane.across]
normal = "x"
at = "10 mm"
every = 200

[output.picture]

[output.probe.wake]
at = ["30 mm", "10 mm", "5 mm"]

[output.line.wake]
from = ["10 mm", "10 mm", "5 mm"]
to = ["34 mm", "10 mm", "5 mm"]
every = 100

[output.force.ball]
velocity = "1 mm/s"
area = "50 mm2"

[output.series.all]
quantities = ["kinetic_energy", "mean_velocity"]

[checkpoint]
every = 100
"""

LATTICE = """\
[domain]
cells = [32, 16]
periodic = ["x"]

[fluid]
viscosity = 0.05

[boundary.walls]
type = "wall"
faces = ["y-", "y+"]

[force]
acceleration = [1e-5, 0]

[run]
steps = 100

[device]
kind = "cpu"

[output.fields]
every = 50

[output.probe.middle]
at = [3, 8]
"""

# Almost without viscosity: it blows up within a few hundred steps.
UNSTABLE = """\
[domain]
cells = [64, 64]
periodic = ["x", "y"]

[fluid]
viscosity = 1e-6

[collision]
model = "bgk"

[initial]
velocity = ["0.09*sin(2*pi*y/Ly)*(1+0.5*sin(2*pi*8*x/Lx))", "0.09*sin(2*pi*x/Lx*3)"]

[run]
steps = 20000

[device]
kind = "cpu"

[output.fields]
every = 100
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has its own current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cavity() -> lbmsim.Case:
    return lbmsim.Case.from_text(CAVITY, "cavity")


@pytest.fixture(scope="session", params=[2, 3])
def refined(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> lbmsim.Result:
    """A refined grid of three levels, in the plane and in space, that has run; not to be changed."""
    space = request.param == 3
    text = REFINED.format(
        dims=(18, 12),
        third=', "10 mm"' if space else "",
        zero=", 0" if space else "",
        walls='"x-", "x+", "y-"' + (', "z-", "z+"' if space else ""),
        low=', "2 mm"' if space else "",
        high=', "8 mm"' if space else "",
        low2=', "3.5 mm"' if space else "",
        high2=', "6 mm"' if space else "",
    )
    text += REFINED_PLANE if space else ""
    folder = tmp_path_factory.mktemp("refined")
    return lbmsim.run(lbmsim.Case.from_text(text, name="refined"), ranks=2, output=folder / "out", progress=False)


@pytest.fixture(scope="session")
def cavity_run(tmp_path_factory: pytest.TempPathFactory) -> lbmsim.Result:
    """A cavity that has run; not to be changed."""
    return lbmsim.run(lbmsim.Case.from_text(CAVITY, "cavity"), output=tmp_path_factory.mktemp("cavity"), progress=False)


@pytest.fixture(scope="session")
def sphere_run(tmp_path_factory: pytest.TempPathFactory) -> lbmsim.Result:
    """A case in 3D with all kinds of output that has run; not to be changed."""
    return lbmsim.run(lbmsim.Case.from_text(SPHERE, "sphere"), output=tmp_path_factory.mktemp("sphere"), progress=False)


@pytest.fixture
def mpirun(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The launcher of the program's MPI library."""
    launcher = os.environ.get("LBMSIM_MPIRUN") or shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if launcher is None:
        if os.environ.get("LBMSIM_REQUIRE_MPI"):
            pytest.fail("mpirun is not found, and LBMSIM_REQUIRE_MPI wants it")
        pytest.skip("mpirun is not found")
    monkeypatch.setenv("LBMSIM_MPIRUN", launcher)
    yield launcher


# A skipped test hides a fault where everything is installed: scripts/test-python.sh takes
# those alone that the list names.


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not os.environ.get("LBMSIM_NO_SKIPS"):
        return
    text = (Path(__file__).parent / "allowed-skips.txt").read_text(encoding="utf-8")
    allowed = {line.split(maxsplit=1)[0] for line in text.splitlines() if line.strip() and not line.startswith("#")}
    skipped = [report.nodeid for report in terminalreporter.stats.get("skipped", [])]
    wrong = sorted(set(skipped) - allowed)
    for test in wrong:
        terminalreporter.write_line(f"SKIPPED, and tests/allowed-skips.txt gives no reason: {test}", red=True)
    if wrong:
        terminalreporter._session.exitstatus = 1  # type: ignore[union-attr]
