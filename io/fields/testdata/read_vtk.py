# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_vtk.py FILE 2d|3d TIME: the file through the VTK library's own reader."""
import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkFiltersParallel import vtkIntegrateAttributes
from vtkmodules.vtkIOHDF import vtkHDFReader

from expected import check_image, integrals_of

path, flat, time = sys.argv[1], sys.argv[2] == "2d", float(sys.argv[3])
reader = vtkHDFReader()
if not reader.CanReadFile(path):
    sys.exit("VTK says that it cannot read the file")
reader.SetFileName(path)
reader.Update()
image = reader.GetOutputDataObject(0)
integrate = vtkIntegrateAttributes()
integrate.SetInputDataObject(image)
integrate.Update()
check_image(image, flat, vtk_to_numpy, integrals_of(integrate.GetOutputDataObject(0).GetCellData()))
shown = image.GetFieldData()
if shown.GetArray("TimeValue").GetTuple(0) != (time,):
    sys.exit("the time is not shown")
if shown.GetAbstractArray("unit of velocity").GetValue(0) != "m/s" or shown.GetAbstractArray("unit of solid"):
    sys.exit("the units are not shown")
print("VTK", vtkVersion.GetVTKVersion(), "agrees")
