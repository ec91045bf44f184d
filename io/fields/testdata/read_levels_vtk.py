# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_levels_vtk.py FILE 2d|3d TIME: a refined grid through the VTK library's own reader."""
import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkFiltersParallel import vtkIntegrateAttributes
from vtkmodules.vtkIOHDF import vtkHDFReader

from expected import integrals_of
from levels import check_amr, check_integrals

path, dims, time = sys.argv[1], sys.argv[2], float(sys.argv[3])
reader = vtkHDFReader()
if not reader.CanReadFile(path):
    sys.exit("VTK says that it cannot read the file")
reader.SetFileName(path)
reader.Update()
amr = reader.GetOutputDataObject(0)
block = amr.GetDataSetAsCartesianGrid if hasattr(amr, "GetDataSetAsCartesianGrid") else amr.GetDataSet
check_amr(amr, dims, block, vtk_to_numpy)
integrate = vtkIntegrateAttributes()
integrate.SetInputDataObject(amr)
integrate.Update()
check_integrals(dims, integrals_of(integrate.GetOutputDataObject(0).GetCellData()))
if amr.GetFieldData().GetArray("TimeValue").GetTuple(0) != (time,):
    sys.exit("the time is not shown")
print("VTK", vtkVersion.GetVTKVersion(), "agrees")
