# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Refined grids: numpy shows the contents of a file's boxes."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import lbmsim


def test_boxes(refined: lbmsim.Result) -> None:
    grid = refined.levels()
    assert (grid.step, len(grid.levels)) == (30, 3)
    assert refined.levels(step=15).step == 15
    assert [level.spacing for level in grid.levels] == pytest.approx([1e-3, 5e-4, 2.5e-4])
    assert grid.units["velocity"] == "m/s"
    axes = len(grid.levels[0].boxes[0].shape)
    with h5py.File(grid.path) as file:
        for level in grid.levels:
            assert len(level.boxes) == len(file[f"levels/{level.number}"])
            for k, box in enumerate(level.boxes):
                stored = file[f"levels/{level.number}/{k}"]
                velocity = stored["velocity"][...]
                np.testing.assert_array_equal(box["velocity"], velocity if axes == 3 else velocity[0])
                np.testing.assert_array_equal(box.corner, stored.attrs["corner"])
                assert box["density"].shape == box.shape == box.covered.shape
                assert set(box) == {"density", "velocity", "solid"}
    inner = grid.levels[2].boxes[0]
    np.testing.assert_allclose(inner.corner[:2], [4.5e-3, 5.5e-3])
    assert inner.shape[-2:] == (10, 12)
    # The finest cells fill the domain once.
    volume = sum((~box.covered).sum() * level.spacing**axes for level in grid.levels for box in level.boxes)
    assert volume == pytest.approx(18e-3 * 12e-3 * (10e-3 if axes == 3 else 1))


def test_resample(refined: lbmsim.Result) -> None:
    grid = refined.levels()
    mean = refined.tables["series_means"]["mean_density"].iloc[-1]
    fine = grid.resample("velocity")
    axes = fine.ndim - 1
    assert fine.shape == ((40, 48, 72, 3) if axes == 3 else (48, 72, 3))
    for level in range(3):
        density = grid.resample("density", level)
        # No fluid is lost: every level has the run's mean.
        assert density.mean() == pytest.approx(mean, rel=1e-6)
        centres = grid.centres(level)
        assert [len(x) for x in centres] == list(reversed(density.shape))
        velocity = grid.resample("velocity", level)
        blocks = fine
        for axis in range(axes):  # means of the finest cells
            blocks = np.add.reduceat(blocks, np.arange(0, blocks.shape[axis], 4 >> level), axis) / (4 >> level)
        np.testing.assert_allclose(velocity, blocks, rtol=1e-5, atol=1e-9)
    # Cells of a box and the array at their positions.
    x, y = grid.centres()[:2]
    box = grid.levels[2].boxes[0]
    i, j = (int(np.argmin(abs(axis - (low + 3.5 * 2.5e-4)))) for axis, low in zip((x, y), box.corner))
    k = (int(box.first[2]),) if axes == 3 else ()
    np.testing.assert_array_equal(fine[(*k, j, i)], box["velocity"][(*(0 for _ in k), 3, 3)])
    with pytest.raises(lbmsim.Error, match="its finest level is 2"):
        grid.resample("density", 3)
    with pytest.raises(KeyError, match=r"density, .*velocity"):
        box["pressure"]


def test_averages(refined: lbmsim.Result) -> None:
    averages, fields = refined.levels(group="averages"), refined.levels()
    assert (averages.step, averages.units) == (30, {"mean_velocity": "m/s", "reynolds_stress": "m2/s2"})
    np.testing.assert_array_equal(averages.resample("mean_velocity"), fields.resample("velocity"))  # one sample
    assert not averages.resample("reynolds_stress", 0).any()


def test_other_grids(refined: lbmsim.Result, cavity_run: lbmsim.Result) -> None:
    with pytest.raises(lbmsim.Error, match=r"is refined, .* use result\.levels\(\)"):
        _ = refined.fields
    with pytest.raises(lbmsim.Error, match=r'is refined, .* use result\.levels\(group="averages"\)'):
        _ = refined.averages
    if "across" in refined.planes:
        plane = refined.planes["across"].velocity.isel(time=-1)
        x = int(np.argmin(abs(refined.levels().centres()[0] - float(plane.x))))
        # From the finest level that it cuts; fields of the plane are in float32.
        np.testing.assert_allclose(plane, refined.levels().resample("velocity")[:, :, x], rtol=1e-6)
    with pytest.raises(lbmsim.Error, match="its grid is not refined"):
        cavity_run.levels()
