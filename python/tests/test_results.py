# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Results: xarray, pandas and PyVista show the contents of the files."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import LATTICE

import lbmsim


def test_fields_in_2d(cavity_run: lbmsim.Result) -> None:
    fields = cavity_run.fields
    assert fields.sizes == {"time": 4, "y": 24, "x": 24, "component": 3}
    assert fields.velocity.dims == ("time", "y", "x", "component")
    assert fields.pressure.dims == ("time", "y", "x")
    assert {name: fields[name].attrs["units"] for name in fields} == {
        "pressure": "Pa",
        "velocity": "m/s",
        "vorticity": "1/s",
    }
    assert fields.x.attrs["units"] == "m"
    assert fields.time.attrs["units"] == "s"
    assert "z" not in fields.coords
    np.testing.assert_allclose(fields.x, (np.arange(24) + 0.5) * 0.1 / 24)
    assert list(fields.step.values) == [100, 200, 300, 400]
    assert fields.attrs["title"] == "A small cavity"
    file = cavity_run.path / "fields/fields_0000000200.hdf"
    with h5py.File(file) as f:
        np.testing.assert_array_equal(fields.velocity.sel(time=fields.time[1]), f["VTKHDF/CellData/velocity"][0])
        assert float(fields.time[1]) == f["lbmsim"].attrs["time"][0]
    # The lid drags the fluid along x.
    top = fields.velocity.sel(component="x").isel(time=-1, y=-1, x=12)
    assert 0.5e-3 < float(top) < 1e-3


def test_fields_in_3d(sphere_run: lbmsim.Result) -> None:
    fields = sphere_run.fields
    assert fields.velocity.dims == ("time", "z", "y", "x", "component")
    assert dict(fields.sizes) == {"time": 5, "z": 10, "y": 20, "x": 40, "component": 3}
    assert float(fields.x[0]) == pytest.approx(-4.5e-3)
    stored = np.empty((10, 20, 40, 3), np.float32)
    with h5py.File(sphere_run.path / "fields/fields_0000000200.hdf") as f:
        assert f["VTKHDF/CellData/velocity"].is_virtual, "the test is to read a file of several parts"
        f["VTKHDF/CellData/velocity"].read_direct(stored)
    np.testing.assert_array_equal(fields.velocity[-1], stored)
    np.testing.assert_array_equal(fields.velocity[-1, ::-2, 3, 1:5], stored[::-2, 3, 1:5])
    np.testing.assert_array_equal(fields.velocity.isel(time=[4, 1], z=[2, 0])[0], stored[[2, 0]])
    # The mean of the velocity at a point of the wake equals the probe's.
    probe = sphere_run.tables["probe_wake"]
    there = fields.velocity.sel(x=30.5e-3, y=10.5e-3, z=5.5e-3, method="nearest").sel(component="x")
    at = probe[probe.step.isin(fields.step.values)]
    np.testing.assert_array_equal(there, at["velocity x"].astype(np.float32))


def test_numbers_are_read_late(sphere_run: lbmsim.Result) -> None:
    import dask
    from dask.base import is_dask_collection

    fields = sphere_run.fields
    assert is_dask_collection(fields.velocity.data)
    assert fields.velocity.data.chunksize == (1, 10, 20, 40, 3)
    once = fields.velocity.mean().compute()
    with dask.config.set(scheduler="threads", num_workers=4):
        assert fields.velocity.mean().compute() == once
    # After reading, no file stays open.
    descriptors = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    assert not [d for d in descriptors if os.path.exists(d) and os.readlink(d).endswith(".hdf")]
    # Other processes may read it.
    assert pickle.loads(pickle.dumps(fields)).velocity.mean().compute() == once


def test_large_fields_are_read_in_pieces(sphere_run: lbmsim.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sphere_run.fields.velocity.values
    monkeypatch.setattr("lbmsim.fields.PIECE", 40 * 20 * 3 * 4 * 3)
    fields = lbmsim.open(sphere_run.path).fields
    assert fields.velocity.data.chunksize == (1, 3, 20, 40, 3)
    np.testing.assert_array_equal(fields.velocity, whole)


def test_averages_and_planes(sphere_run: lbmsim.Result) -> None:
    averages = sphere_run.averages
    assert averages.reynolds_stress.dims == ("time", "z", "y", "x", "tensor")
    assert list(averages.tensor.values) == ["xx", "yy", "zz", "xy", "yz", "xz"]
    assert averages.mean_pressure.attrs == {"units": "Pa", "long_name": "mean pressure"}
    planes = sphere_run.planes
    assert list(planes) == ["across", "middle"]
    middle = planes["middle"]
    assert middle.velocity.dims == ("time", "z", "x", "component")
    assert float(middle.y) == pytest.approx(10.5e-3)
    fields = sphere_run.fields
    np.testing.assert_array_equal(middle.velocity.isel(time=-1), fields.velocity.isel(time=-1, y=10))
    across = planes["across"]
    assert across.velocity.dims == ("time", "z", "y", "component")
    np.testing.assert_array_equal(
        across.velocity.isel(time=-1), fields.velocity.isel(time=-1).sel(x=float(across.x), method="nearest")
    )
    with pytest.raises(KeyError, match="across, middle"):
        planes["none"]


SPAN = """\
[domain]
cells = [16, 8, 6]
periodic = ["x", "z"]

[fluid]
viscosity = 0.05

[initial]
velocity = ["0.02*sin(2*pi*z/Lz)", "0.02*cos(2*pi*3*x/Lx)", 0]

[boundary.plates]
type = "wall"
faces = ["y-", "y+"]

[run]
steps = 20

[output.averages]
over = "z"

[output.spectrum.lines]
along = "x"
at = [2, 4]
sample_every = 10
every = 10
"""


def test_averages_over_an_axis_and_spectra() -> None:
    result = lbmsim.run(lbmsim.Case.from_text(SPAN, "span"), progress=False)
    averages = result.averages
    assert averages.mean_velocity.dims == ("time", "y", "x", "component")
    assert averages.sizes["y"] == 8
    assert float(averages.z) == 3
    # The mean over z of the sine is zero, and its square is a stress.
    assert abs(averages.mean_velocity.isel(time=-1, y=4).sel(component="x")).max() < 1e-3
    assert averages.reynolds_stress.isel(time=-1, y=4).sel(tensor="xx").min() > 1e-5
    assert result.pyvista(group="averages").dimensions == (17, 9, 2)
    table = result.tables["spectrum_lines"]
    assert list(table.columns[:5]) == ["step", "time", "y", "k", "samples"]
    assert list(table["y"].unique()) == [2.5, 4.5]
    last = table[(table["step"] == 20) & (table["y"] == 4.5)]
    assert last["k"].to_numpy() == pytest.approx(2 * np.pi * np.arange(1, 9) / 16)
    assert last["velocity_spectrum y"].idxmax() == last.index[2]


def test_lattice_units() -> None:
    result = lbmsim.run(lbmsim.Case.from_text(LATTICE, "channel"), progress=False)
    fields = result.fields
    assert fields.x.attrs["units"] == "cells"
    assert fields.time.attrs["units"] == "steps"
    assert fields.velocity.attrs["units"] == "lattice units"
    assert list(fields.x.values[:2]) == [0.5, 1.5]
    assert list(fields.time.values) == [50, 100]
    table = result.tables["probe_middle"]
    assert list(table.columns) == ["step", "time", "x", "y", "z", "pressure", "velocity x", "velocity y"]
    assert set(table.attrs["units"].values()) == {""}
    told = "finished, step 100 of 100, fields at 2 times, tables: probe_middle"
    assert repr(result) == f"<lbmsim.Result out/channel: {told}>"


def test_tables(sphere_run: lbmsim.Result) -> None:
    tables = sphere_run.tables
    assert list(tables) == ["force_ball", "line_wake", "probe_wake", "series_all"]
    force = tables["force_ball"]
    assert force.attrs["units"]["force_x"] == "N"
    assert force.attrs["units"]["torque_z"] == "N m"
    assert force.attrs["units"]["drag"] == ""
    assert np.isinf(force["+- mean drag"] if "+- mean drag" in force else force["+- drag"]).any()
    assert force["drag"].iloc[-1] > 0
    line = tables["line_wake"]
    assert sorted(set(line.step)) == [100, 200]
    with pytest.raises(KeyError, match="force_ball, line_wake"):
        tables["force_bal"]


def test_a_row_that_is_being_written(cavity_run: lbmsim.Result, folder: Path) -> None:
    shutil.copytree(cavity_run.path, "copy")
    whole = lbmsim.open("copy").tables["probe_centre"]
    file = folder / "copy/probe_centre.csv"
    text = file.read_bytes()
    file.write_bytes(text[:-5])
    assert len(lbmsim.open("copy").tables["probe_centre"]) == len(whole) - 1
    file.write_bytes(text[:30])
    assert lbmsim.open("copy").tables["probe_centre"].empty


def test_the_case_of_a_result(cavity_run: lbmsim.Result, sphere_run: lbmsim.Result, folder: Path) -> None:
    case = cavity_run.case
    assert case["collision.model"] == "cumulant"
    assert case["domain.size"] == ["0.1 m", "0.1 m"]
    assert list(sphere_run.case["body"]) == ["whole", "hole", "ball", "post"]
    provenance = sphere_run.provenance
    assert provenance is not None
    assert provenance["legs"][0]["ranks"] == 1
    # A table contains it, too; a picture does not.
    (folder / "table").mkdir()
    shutil.copy(cavity_run.path / "probe_centre.csv", "table")
    assert lbmsim.open("table").case.to_dict() == case.to_dict()
    assert lbmsim.open("table").provenance is None
    (folder / "picture").mkdir()
    shutil.copy(cavity_run.pictures[0], "picture")
    with pytest.raises(lbmsim.Error, match="contains its case"):
        _ = lbmsim.open("picture").case


def test_the_resolved_case_runs_again(cavity_run: lbmsim.Result) -> None:
    again = lbmsim.run(cavity_run.case, output="again", progress=False)
    assert (again.fields.velocity == cavity_run.fields.velocity).all()


def test_pyvista(sphere_run: lbmsim.Result, cavity_run: lbmsim.Result) -> None:
    grid = sphere_run.pyvista()
    np.testing.assert_array_equal(
        grid.cell_data["velocity"].reshape(10, 20, 40, 3), sphere_run.fields.velocity.isel(time=-1).values
    )
    assert grid.bounds[0] == pytest.approx(-5e-3)
    early = sphere_run.pyvista(step=40)
    assert float(early.field_data["TimeValue"][0]) == pytest.approx(float(sphere_run.fields.time[1]))
    assert float(sphere_run.pyvista(time=0).field_data["TimeValue"][0]) == 0
    assert sphere_run.pyvista(group="planes/middle").n_cells == 400
    assert cavity_run.pyvista().n_cells == 24 * 24
    with pytest.raises(ValueError, match="not both"):
        sphere_run.pyvista(time=0, step=0)
    with pytest.raises(lbmsim.Error, match="it has: averages, fields"):
        sphere_run.pyvista(group="blowup")


def test_bodies(sphere_run: lbmsim.Result, cavity_run: lbmsim.Result) -> None:
    bodies = sphere_run.bodies()
    assert list(bodies) == ["ball", "post"]
    solid = sphere_run.fields.solid.isel(time=-1).values
    for k, surface in enumerate(bodies.values(), 1):
        closed = surface.clean().triangulate()
        edges = {"boundary_edges": True, "non_manifold_edges": False, "feature_edges": False, "manifold_edges": False}
        assert closed.extract_feature_edges(**edges).n_cells == 0
        assert closed.volume == pytest.approx((solid == k).sum() * 1e-9, rel=1e-5)
    # The bounds are the domain's, within a cell.
    np.testing.assert_allclose(bodies["post"].bounds, (20e-3, 24e-3, 8e-3, 12e-3, 0, 10e-3), atol=1e-6)
    with pytest.raises(lbmsim.Error, match="no bodies"):
        cavity_run.bodies()
    with pytest.raises(lbmsim.Error, match="lack the field"):
        sphere_run.bodies(group="averages")


def test_a_run_that_goes_on(cavity: lbmsim.Case, folder: Path) -> None:
    cavity["output.fields"]["every"] = 20000
    cavity["output.probe.centre.every"] = 5000
    cavity.save("case.toml")
    run = subprocess.Popen(
        [
            str(lbmsim.program()),
            "run",
            "case.toml",
            "--set",
            "run.steps=1000000000",
            "--set",
            "checkpoint.every=100000",
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while not (folder / "out/case/fields/fields.hdf.series").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        result = lbmsim.open("out/case")
        assert result.running
        before = result.fields
        n = before.sizes["time"]
        assert np.isfinite(before.velocity.isel(time=-1).values).all()
        while result.fields.sizes["time"] == n:
            assert time.monotonic() < end
            time.sleep(0.05)
        while len(result.tables["probe_centre"]) < 3:  # rows are written in blocks
            assert time.monotonic() < end
            time.sleep(0.2)
        assert before.sizes["time"] == n, "a dataset does not change under its user's hands"
        assert repr(result).startswith("<lbmsim.Result out/case: running, step ")
    finally:
        run.kill()
        run.wait()
    assert not result.running, "its process is gone"
    assert "silent" in repr(result)
    # On another machine it counts as running until its state is overdue, and not with a time in the
    # future.
    status = folder / "out/case/status.json"
    state = json.loads(status.read_text())
    state["host"] = "elsewhere"
    for ago, running in ((timedelta(0), True), (timedelta(minutes=1), False), (timedelta(days=-1), False)):
        state["updated"] = (datetime.now(timezone.utc) - ago).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        status.write_text(json.dumps(state))
        assert result.running is running, ago


def test_fields_that_change_at_a_restart(cavity: lbmsim.Case) -> None:
    lbmsim.run(cavity, progress=False, set={"run.steps": 200})
    result = lbmsim.run(cavity, progress=False, restart="latest", set={"output.fields.fields": ["velocity", "speed"]})
    fields = result.fields
    assert set(fields) == {"pressure", "velocity", "vorticity", "speed"}
    assert list(fields.step.values) == [100, 200, 300, 400]
    assert list(np.isfinite(fields.speed).all(("x", "y")).values) == [False, False, True, True]
    assert list(np.isfinite(fields.pressure).all(("x", "y")).values) == [True, True, False, False]
    assert np.isfinite(fields.velocity).all()


def test_files_that_are_gone(sphere_run: lbmsim.Result, folder: Path) -> None:
    shutil.copytree(sphere_run.path, "copy")
    result = lbmsim.open("copy")
    fields = result.fields
    (folder / "copy/fields/fields_0000000050.parts/001.hdf").unlink()
    with pytest.raises(FileNotFoundError, match=r"001\.hdf is missing"):
        fields.velocity.isel(time=1).compute()
    (folder / "copy/fields/fields_0000000100.hdf").unlink()
    with pytest.raises(FileNotFoundError, match=r"fields_0000000100\.hdf is gone"):
        fields.velocity.isel(time=2).compute()
    assert np.isfinite(fields.velocity.isel(time=-1)).all()


def test_nothing_to_open(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder out/none"):
        lbmsim.open("out/none")
    with pytest.raises(FileNotFoundError, match="not the output folder"):
        lbmsim.open(folder)


def test_what_there_is_not(cavity_run: lbmsim.Result) -> None:
    with pytest.raises(lbmsim.Error, match="has no averages; it has: fields"):
        _ = cavity_run.averages
    assert len(cavity_run.planes) == 0


@pytest.mark.parametrize(
    ("missing", "extra", "use"),
    [
        ("xarray", "xarray", "result.fields"),
        ("dask", "xarray", "result.fields"),
        ("pandas", "pandas", "result.tables['probe_centre']"),
        ("pyvista", "pyvista", "result.pyvista()"),
    ],
)
def test_missing_extras(cavity_run: lbmsim.Result, missing: str, extra: str, use: str) -> None:
    """Without a library everything else works, and functions that need it name the extra."""
    script = f"""
import sys
sys.modules["{missing}"] = None
import lbmsim
result = lbmsim.open({str(cavity_run.path)!r})
print(result, result.case, result.checkpoints)
try:
    {use}
except ImportError as e:
    print(e)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f'pip install "lbmsim[{extra}]"' in done.stdout


def test_import_is_quick() -> None:
    """The libraries of the extras are imported when they are needed."""
    heavy = ("xarray", "dask", "pandas", "pyvista", "vtk", "matplotlib")
    script = f"import sys, lbmsim; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_was_found(cavity: lbmsim.Case) -> None:
    changes = {"output.force.lid.every": 5, "run.steps": 400}
    result = lbmsim.run(cavity, progress=False, set=changes)
    assert result.summary is not None
    for results in (result.results, result.summary["results"], lbmsim.open(result.path).results):
        (lid,) = results
        assert lid["output"] == "lid" and lid["samples"] == 80
        numbers = {number["quantity"]: number for number in lid["numbers"]}
        assert set(numbers) >= {"force_x", "force_y", "torque_z"}
        number = numbers["force_x"]
        assert number["unit"] == "N/m"
        assert (number["value"] is None and number["note"]) or number["half"] >= 0


@pytest.mark.parametrize("text", ["", "{", '{"files": 3}', '{"files": [{"name": "a"}]}', "[]"])
def test_damaged_index(cavity: lbmsim.Case, text: str) -> None:
    result = lbmsim.run(cavity, progress=False, set={"run.steps": 100})
    index = result.path / "fields/fields.hdf.series"
    whole = index.read_text()
    index.write_text(text)
    with pytest.raises(lbmsim.Error, match="damaged"):
        _ = result.fields
    lbmsim.run(cavity, progress=False, set={"run.steps": 100}, restart="latest")
    assert index.read_text() == whole
