# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Surfaces of bodies: numpy shows the contents of the files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lbmsim

CASE = """
[domain]
cells = [16, 16, 16]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.1
[initial]
density = 1.01
[body.cube]
shape = "stl"
file = "cube.stl"
[run]
steps = 4
[device]
kind = "cpu"
[output.surface.cube]
precision = "float64"
every = 2
"""


def cube(low: float, high: float) -> str:
    """A cube as an ASCII STL file."""
    text = ["solid cube"]
    for axis in range(3):
        for side, x in enumerate((low, high)):
            ring = [(low, low), (high, low), (high, high), (low, high)]
            corners = [np.roll((x, u, v), axis) for u, v in (ring if side else ring[::-1])]
            for three in (corners[:3], [corners[0], *corners[2:]]):
                text.append("facet normal 0 0 0\nouter loop")
                text += ["vertex {} {} {}".format(*corner) for corner in three]
                text.append("endloop\nendfacet")
    return "\n".join([*text, "endsolid cube\n"])


def test_surface() -> None:
    Path("cube.stl").write_text(cube(5, 10))
    Path("case.toml").write_text(CASE)
    result = lbmsim.run(lbmsim.Case("case.toml"), output="out", progress=False)
    assert list(result.surfaces) == ["cube"]
    assert result.surfaces.times("cube") == [2, 4]
    surface = result.surfaces["cube"]
    assert (surface.step, surface.time) == (4, 4)
    assert surface.triangles.shape[0] == len(surface.values["pressure"])
    # A uniform pressure, from a float32 state, and normals out of the cube.
    np.testing.assert_allclose(surface.values["pressure"], 0.01 / 3, rtol=1e-6)
    np.testing.assert_allclose(surface.normals.sum(axis=0), 0, atol=1e-12)
    centres = surface.points[surface.triangles].mean(axis=1)
    assert ((centres - 7.5) * surface.normals).sum() / 3 == pytest.approx(125)
    assert surface.values["wall_shear_stress"].shape == surface.triangles.shape
    assert result.surfaces.at("cube", 2.4).step == 2
    assert "surface_cube" in result.tables
    with pytest.raises(KeyError, match="there is no surface 'ball'; there are: cube"):
        _ = result.surfaces["ball"]
