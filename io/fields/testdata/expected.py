"""What fields_test.go writes, and how to compare: shared by the reader tests."""
import sys

import numpy as np

ORIGIN, SPACING = (0.5, 1.5, -2.0), 0.25


def expected(name, flat):
    """Array [z, y, x] or [z, y, x, 3] as the file shows it (two layers when flat)."""
    n = (9, 6, 1) if flat else (7, 5, 6)
    z, y, x = np.meshgrid(*(np.arange(k, dtype=float) for k in n[::-1]), indexing="ij")
    if name == "solid":
        a = (x + 2 * y + 3 * z) % 7
    else:
        a = 0.5 * x + 7 * y + 101 * z
        if name == "velocity":
            a = a[..., None] + 0.25 * np.arange(3)
    return np.concatenate([a, a]) if flat else a


TYPES = {"density": "float64", "velocity": "float32", "solid": "uint8"}


def check(name, array, flat):
    want = expected(name, flat)
    if str(array.dtype) != TYPES[name]:
        sys.exit(f"{name} has type {array.dtype} instead of {TYPES[name]}")
    if array.size != want.size or not np.array_equal(array.reshape(want.shape), want):
        sys.exit(f"{name} differs from what was written")


def check_image(image, flat, to_numpy):
    """Compares a vtkImageData."""
    nx, ny, nz = expected("density", flat).shape[::-1]
    origin = (ORIGIN[0], ORIGIN[1], ORIGIN[2] - SPACING / 2 if flat else ORIGIN[2])
    if image.GetDimensions() != (nx, ny, nz):
        sys.exit(f"dimensions {image.GetDimensions()}")
    if image.GetOrigin() != origin or image.GetSpacing() != (SPACING,) * 3:
        sys.exit(f"origin {image.GetOrigin()}, spacing {image.GetSpacing()}")
    data = image.GetPointData()
    found = sorted(data.GetArrayName(i) for i in range(data.GetNumberOfArrays()))
    if found != sorted(TYPES):
        sys.exit(f"the arrays are {found}")
    for name in TYPES:
        check(name, to_numpy(data.GetArray(name)), flat)
