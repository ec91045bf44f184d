# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""pvbatch render_paraview.py XDMF PICTURE: a slice of the density, in colour."""
import sys

from paraview import simple
from paraview.vtk.util.numpy_support import vtk_to_numpy
from paraview.vtk.vtkIOImage import vtkPNGReader

path, picture = sys.argv[1:3]
reader = simple.XDMFReader(FileNames=[path])  # which ParaView 5.11 has as well as newer ones
reader.UpdatePipeline()
view = simple.CreateView("RenderView")
view.ViewSize = [320, 240]
shown = simple.Show(reader, view)
shown.SetRepresentationType("Surface")
simple.ColorBy(shown, ("CELLS", "density"))
shown.RescaleTransferFunctionToDataRange()
simple.ResetCamera(view)
simple.Render(view)
simple.SaveScreenshot(picture, view)

png = vtkPNGReader()
png.SetFileName(picture)
png.Update()
pixels = vtk_to_numpy(png.GetOutput().GetPointData().GetScalars())
colours = len({tuple(p) for p in pixels.tolist()})
if colours < 50:
    sys.exit(f"the picture has {colours} colours only: nothing is to be seen")
print("rendered", colours, "colours")
