"""read_vtk.py FILE 2d|3d: the file through the VTK library's own reader."""
import sys

from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkIOHDF import vtkHDFReader

from expected import check_image

path, flat = sys.argv[1], sys.argv[2] == "2d"
reader = vtkHDFReader()
if not reader.CanReadFile(path):
    sys.exit("VTK says that it cannot read the file")
reader.SetFileName(path)
reader.Update()
check_image(reader.GetOutputDataObject(0), flat, vtk_to_numpy)
print("VTK", vtkVersion.GetVTKVersion(), "agrees")
