# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_h5py.py FILE 2d|3d: fields, geometry and provenance, with h5py."""
import sys

import h5py
import numpy as np

from expected import CENTRE, SPACING, TYPES, check

path, flat = sys.argv[1], sys.argv[2] == "2d"
with h5py.File(path, "r") as f:
    root = f["VTKHDF"]
    if root.attrs["Type"] != b"ImageData" or list(root.attrs["Version"]) != [2, 0]:
        sys.exit("type or version")
    if not np.array_equal(root.attrs["Spacing"], [SPACING] * 3) or root.attrs["Origin"][0] != CENTRE[0] - SPACING / 2:
        sys.exit("geometry")
    for name in TYPES:
        check(name, root["CellData"][name][...], flat)
    if root["CellData/velocity"].attrs["unit"] != b"m/s":
        sys.exit("unit")
    own = f["lbmsim"]
    if own["case"][()].decode("utf-8") != '[domain]\nname = "µ"\n':
        sys.exit("case")
    if own.attrs["step"][0] != 120 or own.attrs["time"][0] != 0.75 or own.attrs["version"] != b"test 1":
        sys.exit("step, time or version")
print("h5py", h5py.__version__, "agrees")
