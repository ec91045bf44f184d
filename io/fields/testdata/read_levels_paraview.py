# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""pvpython read_levels_paraview.py FILE SERIES XDMF 2d|3d TIME...: a refined grid by each of the forms that this version reads."""
import os
import sys

# pvpython does not put the folder of the script on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))

import numpy as np
from paraview import servermanager, simple
from paraview.vtk.util.numpy_support import vtk_to_numpy

from expected import integrals_of
from levels import BOXES, cell, check_amr, check_boxes, check_integrals

path, series, xdmf, dims = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), sys.argv[4]
times = [float(t) for t in sys.argv[5:]]


def integrals(reader, time):
    integrate = simple.IntegrateVariables(Input=reader)
    integrate.UpdatePipeline(time)
    return integrals_of(servermanager.Fetch(integrate).GetCellData())


def leaves(data):
    images, it = [], data.NewIterator()
    it.InitTraversal()
    while not it.IsDoneWithTraversal():
        images.append(data.GetDataSet(it))
        it.GoToNextItem()
    return images


amr = simple.OpenDataFile(path)
if amr is None:
    sys.exit("ParaView finds no reader for VTKHDF")
levels = [p for p in amr.ListProperties() if "Level" in p]
for p in levels:  # 0: all
    amr.SetPropertyWithName(p, 0)
amr.UpdatePipeline()
found = amr.GetClientSideObject().GetOutputDataObject(0)  # 5.11 cannot fetch levels
check_amr(found, dims, found.GetDataSet, vtk_to_numpy)
check_integrals(dims, integrals(amr, 0))
film = simple.OpenDataFile(series)
film.UpdatePipelineInformation()
if list(film.TimestepValues) != times:
    sys.exit(f"the times of the series are {list(film.TimestepValues)}")

opened = {}
if hasattr(simple, "XDMFReader"):
    opened["XDMF"] = simple.XDMFReader(FileNames=[xdmf])
if hasattr(simple, "Xdmf3ReaderS"):
    opened["Xdmf3"] = simple.Xdmf3ReaderS(FileName=[xdmf])
for name, reader in opened.items():
    reader.UpdatePipelineInformation()
    if list(reader.TimestepValues) != times:
        sys.exit(f"{name}: the times are {list(reader.TimestepValues)}")
    for t in times:
        reader.UpdatePipeline(t)
        check_boxes(leaves(servermanager.Fetch(reader)), dims, vtk_to_numpy)
        check_integrals(dims, integrals(reader, t))
    cut = simple.Slice(Input=reader)
    cut.SliceType.Origin, cut.SliceType.Normal = [1.2, 2.1, -1.9 if dims == "2d" else -1.4], [0, 0, 1]
    area, want = integrals(cut, t)["Area"][0], (cell(dims, 0) * BOXES[dims][0][0][1])[:2].prod()
    if not np.isclose(area, want, rtol=1e-12):
        sys.exit(f"{name}: a slice through the domain has {area} m^2 instead of {want}")
print("ParaView", simple.GetParaViewVersion(), "agrees with VTKHDF", levels, "and", ", ".join(opened))
