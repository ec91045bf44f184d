"""pvpython read_paraview.py FILE|INDEX 2d|3d [TIME...]: ParaView finds the reader itself."""
import os
import sys

# pvpython does not put the folder of the script on the path.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))

from paraview import simple, servermanager
from paraview.vtk.util.numpy_support import vtk_to_numpy

from expected import check_image

path, flat, times = sys.argv[1], sys.argv[2] == "2d", [float(t) for t in sys.argv[3:]]
reader = simple.OpenDataFile(path)
if reader is None:
    sys.exit("ParaView finds no reader")
if times:
    found = list(reader.TimestepValues)
    if found != times:
        sys.exit(f"the times are {found}")
for t in times or [0.0]:
    reader.UpdatePipeline(t)
    check_image(servermanager.Fetch(reader), flat, vtk_to_numpy)
print("ParaView", simple.GetParaViewVersion(), "agrees")
