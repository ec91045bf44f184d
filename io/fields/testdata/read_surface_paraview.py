# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""pvpython read_surface_paraview.py SERIES XDMF TIME...: a surface by both indices."""
import os
import sys

# pvpython does not put the folder of the script on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))

from paraview import servermanager, simple

from surface import check_surface

series, xdmf, times = sys.argv[1], os.path.abspath(sys.argv[2]), [float(t) for t in sys.argv[3:]]
opened = {"VTKHDF": simple.OpenDataFile(series)}
if hasattr(simple, "XDMFReader"):
    opened["XDMF"] = simple.XDMFReader(FileNames=[xdmf])
if hasattr(simple, "Xdmf3ReaderS"):
    opened["Xdmf3"] = simple.Xdmf3ReaderS(FileName=[xdmf])
for name, reader in opened.items():
    if reader is None:
        sys.exit(f"ParaView finds no reader for {name}")
    reader.UpdatePipelineInformation()
    if list(reader.TimestepValues) != times:
        sys.exit(f"{name}: the times are {list(reader.TimestepValues)}")
    for t in times:
        reader.UpdatePipeline(t)
        check_surface(servermanager.Fetch(reader), name)
print("ParaView", simple.GetParaViewVersion(), "agrees with", ", ".join(opened))
