#%Module1.0
# Module file of lbmsim for Environment Modules: as lbmsim/VERSION in a folder of MODULEPATH.
# Lmod: lbmsim.lua beside this file.
set version [file tail [module-info name]]
set root /opt/lbmsim/$version ;# where the archive was unpacked
proc ModulesHelp { } {
    global root
    puts stderr "lbmsim, a lattice-Boltzmann flow simulator: srun lbmsim case.toml"
    puts stderr "Documents and examples: $root"
}
module-whatis "lbmsim $version: lattice-Boltzmann flow simulator for CPUs and NVIDIA GPUs"

# The program takes the MPI library of its launcher. An MPI that users shall have beside it,
# and for GPUs a CUDA whose run-time compiler (NVRTC) it finds in CUDA_HOME; the site's names:
# module load openmpi cuda/12.4
# Where the search finds a wrong MPI (lbmsim info names it), its folder or file:
# setenv LBMSIM_MPI /opt/mpi/lib

prepend-path PATH $root/bin
setenv LBMSIM $root/bin/lbmsim ;# for the job scripts
setenv LBMSIM_HOME $root
