# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""What levels_test.go writes, and how to compare: shared by the reader tests of refined grids."""
import sys

import numpy as np

CORNER, SPACING = np.array([0.5, 1.5, -2.0]), 0.25
BOXES = {  # of each level: first cell and end, x, y, z
    "3d": [[((0, 0, 0), (8, 6, 5))], [((2, 2, 2), (8, 8, 6)), ((10, 4, 2), (14, 10, 8))], [((8, 8, 8), (12, 12, 12))]],
    "2d": [[((0, 0, 0), (10, 8, 1))], [((2, 2, 0), (10, 8, 1)), ((12, 4, 0), (18, 10, 1))], [((8, 8, 0), (16, 14, 1))]],
}
TYPES = {"density": "float64", "velocity": "float32", "solid": "uint8"}


def cell(dims, level):
    """The size of a cell: in 2D as thick on each level."""
    dx = SPACING / 2**level
    return np.array([dx, dx, SPACING if dims == "2d" else dx])


def corner(dims, level, first):
    return CORNER + cell(dims, level) * first


def centres(dims, level, first, end):
    """Array [z, y, x, 3] of the centres of cells."""
    ends = [np.arange(first[a], end[a]) + 0.5 for a in (2, 1, 0)]
    z, y, x = np.meshgrid(*ends, indexing="ij")
    return CORNER + cell(dims, level) * np.stack([x, y, z], axis=-1)


def expected(dims, level, first, end):
    """{name: array [z, y, x] or [z, y, x, 3]} of a box."""
    at = centres(dims, level, first, end)
    return {"density": 1 + at @ [2.0, 3.0, 5.0], "velocity": at.astype("f4"), "solid": np.full(at.shape[:3], level, dtype="u1")}


def covered(dims, level, first, end):
    """Array [z, y, x]: cells that a finer level covers."""
    hidden = np.zeros([end[a] - first[a] for a in (2, 1, 0)], dtype=bool)
    for lo, hi in BOXES[dims][level + 1] if level + 1 < len(BOXES[dims]) else []:
        part = []
        for a in (2, 1, 0):
            by = 1 if dims == "2d" and a == 2 else 2
            part.append(slice(max(lo[a] // by - first[a], 0), max(hi[a] // by - first[a], 0)))
        hidden[tuple(part)] = True
    return hidden


def integrals(dims):
    """{name: [component]} over the domain, each place by its finest cells."""
    total = {"density": np.zeros(1), "velocity": np.zeros(3), "solid": np.zeros(1), "Volume": np.zeros(1)}
    for level, boxes in enumerate(BOXES[dims]):
        volume = cell(dims, level).prod()
        for first, end in boxes:
            seen = ~covered(dims, level, first, end)
            total["Volume"] += volume * seen.sum()
            for name, values in expected(dims, level, first, end).items():
                total[name] += volume * values[seen].reshape(seen.sum(), -1).astype(float).sum(axis=0)
    return total


def compare(name, found, want):
    found = np.asarray(found)
    if str(found.dtype) != TYPES[name]:
        sys.exit(f"{name} has type {found.dtype} instead of {TYPES[name]}")
    if found.size != want.size or not np.array_equal(found.reshape(want.shape), want):
        sys.exit(f"{name} differs from what was written")


def check_integrals(dims, found):
    for name, want in integrals(dims).items():
        if not np.allclose(found[name], want, rtol=1e-12):
            sys.exit(f"the integral of {name} is {found[name]} instead of {want}")


def check_amr(amr, dims, block, to_numpy):
    """Compares a vtkOverlappingAMR. block(level, k) is one of its images."""
    want = BOXES[dims]
    if amr.GetNumberOfLevels() != len(want):
        sys.exit(f"{amr.GetNumberOfLevels()} levels")
    for level, boxes in enumerate(want):
        layers = 2**level if dims == "2d" else 1
        for k, (first, end) in enumerate(boxes):
            image = block(level, k)
            n = [end[a] - first[a] for a in range(3)]
            n[2] *= layers
            if image.GetDimensions() != tuple(m + 1 for m in n):
                sys.exit(f"level {level}, box {k}: dimensions {image.GetDimensions()} instead of {n} cells")
            if not np.allclose(image.GetSpacing(), SPACING / 2**level, rtol=0, atol=0):
                sys.exit(f"level {level}: spacing {image.GetSpacing()}")
            at = corner(dims, level, np.array(first))
            top = corner(dims, level, np.array(end))
            if not np.allclose(image.GetBounds(), np.stack([at, top], axis=1).ravel(), rtol=0, atol=1e-12):
                sys.exit(f"level {level}, box {k} fills {image.GetBounds()}")
            data = image.GetCellData()
            for name, values in expected(dims, level, first, end).items():
                compare(name, to_numpy(data.GetArray(name)), np.repeat(values, layers, axis=0))
            seen = np.array([image.IsCellVisible(i) for i in range(image.GetNumberOfCells())], dtype=bool)
            if not np.array_equal(seen, ~np.repeat(covered(dims, level, first, end), layers, axis=0).ravel()):
                sys.exit(f"level {level}, box {k}: other cells are hidden than the finer level covers")


def check_boxes(images, dims, to_numpy):
    """Compares images, one a box, the coarsest first, that mark covered cells as hidden."""
    boxes = [(level, *box) for level, list_ in enumerate(BOXES[dims]) for box in list_]
    if len(images) != len(boxes):
        sys.exit(f"{len(images)} images for {len(boxes)} boxes")
    for image, (level, first, end) in zip(images, boxes):
        if not np.allclose(image.GetSpacing(), cell(dims, level), rtol=0, atol=0):
            sys.exit(f"spacing {image.GetSpacing()}")
        if image.GetDimensions() != tuple(end[a] - first[a] + 1 for a in range(3)):
            sys.exit(f"dimensions {image.GetDimensions()}")
        fills = np.stack([corner(dims, level, np.array(v)) for v in (first, end)], axis=1).ravel()
        if not np.allclose(image.GetBounds(), fills, rtol=0, atol=1e-12):
            sys.exit(f"an image of level {level} fills {image.GetBounds()}")
        data = image.GetCellData()
        for name, values in expected(dims, level, first, end).items():
            compare(name, to_numpy(data.GetArray(name)), values)
        marks = to_numpy(data.GetArray("vtkGhostType"))
        if not np.array_equal(marks, 32 * covered(dims, level, first, end).ravel()):
            sys.exit(f"level {level}: other cells are hidden than the finer level covers")
