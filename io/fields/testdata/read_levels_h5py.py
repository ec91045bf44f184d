# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_levels_h5py.py FILE 2d|3d: the boxes of a refined grid, with h5py."""
import sys

import h5py
import numpy as np

from levels import BOXES, CORNER, SPACING, cell, compare, corner, expected

path, dims = sys.argv[1:3]
with h5py.File(path, "r") as f:
    root = f["VTKHDF"]
    if root.attrs["Type"] != b"OverlappingAMR" or list(root.attrs["Version"]) != [1, 0] or not np.array_equal(root.attrs["Origin"], CORNER):
        sys.exit("type, version or origin")
    if f["lbmsim"].attrs["spacing"][0] != SPACING or f["lbmsim"].attrs["time"][0] != 0.75:
        sys.exit("spacing or time")
    if sorted(f["levels"]) != [str(k) for k in range(len(BOXES[dims]))]:
        sys.exit("levels")
    for level, boxes in enumerate(BOXES[dims]):
        if sorted(f[f"levels/{level}"]) != [str(k) for k in range(len(boxes))]:
            sys.exit(f"boxes of level {level}")
        for k, (first, end) in enumerate(boxes):
            box = f[f"levels/{level}/{k}"]
            if list(box.attrs["box"]) != [*first, *end] or not np.array_equal(box.attrs["spacing"], cell(dims, level)):
                sys.exit("box or spacing")
            if not np.array_equal(box.attrs["corner"], corner(dims, level, np.array(first))):
                sys.exit("corner")
            for name, want in expected(dims, level, first, end).items():
                compare(name, box[name][...], want)
            if box["velocity"].attrs["unit"] != b"m/s":
                sys.exit("unit")
print("h5py", h5py.__version__, "agrees")
