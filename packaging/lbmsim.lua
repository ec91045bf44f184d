-- SPDX-FileCopyrightText: The lbmsim authors
-- SPDX-License-Identifier: BSD-3-Clause

-- Module file of lbmsim for Lmod: as lbmsim/VERSION.lua in a folder of MODULEPATH.
-- Tcl modules: lbmsim.tcl beside this file.
local root = pathJoin("/opt/lbmsim", myModuleVersion()) -- where the archive was unpacked
help([[lbmsim, a lattice-Boltzmann flow simulator: srun lbmsim case.toml
Documents and examples: ]] .. root)
whatis("Name: lbmsim")
whatis("Version: " .. myModuleVersion())
whatis("Description: lattice-Boltzmann flow simulator for CPUs and NVIDIA GPUs")

-- The program takes the MPI library of its launcher. An MPI that users shall have beside it,
-- and for GPUs a CUDA whose run-time compiler (NVRTC) it finds in CUDA_HOME; the site's names:
-- depends_on("openmpi")
-- depends_on("cuda/12.4")
-- Where the search finds a wrong MPI (lbmsim info names it), its folder or file:
-- setenv("LBMSIM_MPI", "/opt/mpi/lib")

prepend_path("PATH", pathJoin(root, "bin"))
setenv("LBMSIM", pathJoin(root, "bin", "lbmsim")) -- for the job scripts
setenv("LBMSIM_HOME", root)
