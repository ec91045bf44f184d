-- Module file of lbmsim for Lmod: as lbmsim/VERSION.lua in a folder of MODULEPATH.
-- Tcl modules: lbmsim.tcl beside this file.
local root = pathJoin("/opt/lbmsim", myModuleVersion()) -- where the archive was unpacked
help([[lbmsim, a lattice-Boltzmann flow simulator: srun lbmsim case.toml
Documents and examples: ]] .. root)
whatis("Name: lbmsim")
whatis("Version: " .. myModuleVersion())
whatis("Description: lattice-Boltzmann flow simulator for CPUs and NVIDIA GPUs")

-- The MPI library that the program was built for, and for GPUs a CUDA whose run-time
-- compiler (NVRTC) the program finds in CUDA_HOME; the site's own names:
-- depends_on("openmpi/4.1")
-- depends_on("cuda/12.4")

prepend_path("PATH", pathJoin(root, "bin"))
setenv("LBMSIM", pathJoin(root, "bin", "lbmsim")) -- for the job scripts
setenv("LBMSIM_HOME", root)
