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

# The MPI library that the program was built for, and for GPUs a CUDA whose run-time
# compiler (NVRTC) the program finds in CUDA_HOME; the site's own names:
# module load openmpi/4.1 cuda/12.4

prepend-path PATH $root/bin
setenv LBMSIM $root/bin/lbmsim ;# for the job scripts
setenv LBMSIM_HOME $root
