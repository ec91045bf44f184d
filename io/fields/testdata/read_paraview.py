# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""pvpython read_paraview.py SERIES XDMF 2d|3d TIME...: by the index for this version, and by the other if it can."""
import os
import sys

# pvpython does not put the folder of the script on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))

from paraview import servermanager, simple
from paraview.vtk.util.numpy_support import vtk_to_numpy

from expected import check_image, integrals_of

series, xdmf, flat, times = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3] == "2d", [float(t) for t in sys.argv[4:]]
version = simple.GetParaViewVersion()
opened = {}
if (version.major, version.minor) >= (5, 12):
    opened["VTKHDF"] = simple.OpenDataFile(series)
if hasattr(simple, "XDMFReader"):
    opened["XDMF"] = simple.XDMFReader(FileNames=[xdmf])
if hasattr(simple, "Xdmf3ReaderS"):
    opened["Xdmf3"] = simple.Xdmf3ReaderS(FileName=[xdmf])
for name, reader in opened.items():
    if reader is None:
        sys.exit(f"ParaView finds no reader for {name}")
    reader.UpdatePipelineInformation()
    found = list(reader.TimestepValues)
    if found != times:
        sys.exit(f"{name}: the times are {found}")
    for t in times:
        reader.UpdatePipeline(t)
        integrate = simple.IntegrateVariables(Input=reader)
        integrate.UpdatePipeline(t)
        integrals = integrals_of(servermanager.Fetch(integrate).GetCellData())
        check_image(servermanager.Fetch(reader), flat, vtk_to_numpy, integrals)
if not opened:
    sys.exit("this ParaView reads neither form")
print("ParaView", version, "agrees with", ", ".join(opened))
