# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""What the readers' tests of surfaces expect (writeSurface in triangles_test.go)."""
import math
import sys


def check_surface(grid, name):
    """Compares a data set with three triangles on the unit square at z = 2."""
    if grid.GetNumberOfCells() != 3 or grid.GetNumberOfPoints() != 5:
        sys.exit(f"{name}: {grid.GetNumberOfCells()} triangles, {grid.GetNumberOfPoints()} points")
    if [grid.GetCellType(i) for i in range(3)] != [5, 5, 5]:
        sys.exit(f"{name}: the cells are not triangles")
    area = sum(grid.GetCell(i).ComputeArea() for i in range(3))
    if abs(area - 1) > 1e-12 or grid.GetPoint(2) != (1.0, 0.5, 2.0):
        sys.exit(f"{name}: area {area}, a point at {grid.GetPoint(2)}")
    pressure = grid.GetCellData().GetArray("pressure")
    stress = grid.GetCellData().GetArray("wall_shear_stress")
    for i in range(3):
        if pressure.GetTuple(i) != (i + 1.0,) or stress.GetTuple(i)[:2] != (i + 1.0, 10.0 * (i + 1)) or not math.isnan(stress.GetTuple(i)[2]):
            sys.exit(f"{name}: triangle {i} has {pressure.GetTuple(i)}, {stress.GetTuple(i)}")
