# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""What fields_test.go writes, and how to compare: shared by the reader tests."""
import math
import sys

import numpy as np

CENTRE, SPACING = (0.5, 1.5, -2.0), 0.25  # of the first cell


def expected(name, flat):
    """Array [z, y, x] or [z, y, x, 3] of the cells."""
    n = (9, 6, 1) if flat else (7, 5, 6)
    z, y, x = np.meshgrid(*(np.arange(k, dtype=float) for k in n[::-1]), indexing="ij")
    if name == "solid":
        return (x + 2 * y + 3 * z) % 7
    a = 0.5 * x + 7 * y + 101 * z
    if name == "velocity":
        return a[..., None] + 0.25 * np.arange(3)
    return a


TYPES = {"density": "float64", "velocity": "float32", "solid": "uint8"}


def check(name, array, flat):
    want = expected(name, flat)
    if str(array.dtype) != TYPES[name]:
        sys.exit(f"{name} has type {array.dtype} instead of {TYPES[name]}")
    if array.size != want.size or not np.array_equal(array.reshape(want.shape), want):
        sys.exit(f"{name} differs from what was written")


def check_image(image, flat, to_numpy, integrals):
    """Compares a vtkImageData, and the integrals {name: [component]} of its cells' values."""
    cells = expected("density", flat).shape[::-1]
    corner = [c - SPACING / 2 for c in CENTRE]
    box = [b for c, n in zip(corner, cells) for b in (c, c + SPACING * n)]
    if not np.allclose(image.GetBounds(), box, rtol=0, atol=1e-12):
        sys.exit(f"the image fills {image.GetBounds()} instead of {box}")
    if image.GetDimensions() != tuple(n + 1 for n in cells):
        sys.exit(f"dimensions {image.GetDimensions()}")
    data = image.GetCellData()
    found = sorted(data.GetArrayName(i) for i in range(data.GetNumberOfArrays()))
    if found != sorted(TYPES):
        sys.exit(f"the arrays are {found}")
    for name in TYPES:
        check(name, to_numpy(data.GetArray(name)), flat)
        want = SPACING**3 * expected(name, flat).reshape(math.prod(cells), -1).sum(axis=0)
        if not np.allclose(integrals[name], want, rtol=1e-12):
            sys.exit(f"the integral of {name} is {integrals[name]} instead of {want}")
    if not np.isclose(integrals["Volume"][0], SPACING**3 * math.prod(cells), rtol=1e-12):
        sys.exit(f"the volume is {integrals['Volume']}")


def integrals_of(cell_data):
    """The values of the one cell that integration filters give."""
    return {cell_data.GetArrayName(i): cell_data.GetArray(i).GetTuple(0) for i in range(cell_data.GetNumberOfArrays())}
