# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_surface_vtk.py FILE XDMF: a surface through the VTK library's readers of both forms."""
import sys

from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

from surface import check_surface

for reader, path in ((vtkHDFReader(), sys.argv[1]), (vtkXdmfReader(), sys.argv[2])):
    if not reader.CanReadFile(path):
        sys.exit(f"VTK says that it cannot read {path}")
    reader.SetFileName(path)
    reader.Update()
    check_surface(reader.GetOutputDataObject(0), path)
print("VTK", vtkVersion.GetVTKVersion(), "agrees")
