# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""lbmsim for Spack 1.0 and newer, from a source tree:

    spack repo add packaging/spack/spack_repo/lbmsim
    spack dev-build lbmsim@main +cuda            in the source tree

An archive that `make dist` packed needs no build. Spack takes it as an external package:
`spack external find --path /opt/lbmsim/1.0.0 lbmsim`.
"""

import re

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Lbmsim(MakefilePackage):
    """Lattice-Boltzmann flow simulator for clusters of CPUs and NVIDIA GPUs."""

    license("BSD-3-Clause")

    # A release of the site's own: version("1.0.0", sha256="...", url="file:///mirror/lbmsim-1.0.0.tar.gz").
    version("main")

    variant("cuda", default=False, description="Compute on NVIDIA GPUs, too")
    variant("mpi", default=True, description="Load an MPI library beside the program")

    executables = [r"^lbmsim$"]

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("go@1.23:", type="build")
    # A serial one: ranks write into one file, each at its own place, without MPI-IO.
    depends_on("hdf5@1.10:1 +hl ~mpi", type=("build", "link", "run"))

    # Headers to build with, of a CUDA older than 13; NVRTC when a run starts.
    depends_on("cuda@11.4:12", when="+cuda", type=("build", "run"))

    # lbmsim links no MPI. It loads its launcher's library, or the library of the mpirun in PATH.
    depends_on("mpi", when="+mpi", type="run")

    conflicts("platform=darwin", msg="Linux alone")
    requires("target=x86_64:", msg="x86-64 alone")

    @classmethod
    def determine_version(cls, exe):
        output = Executable(exe)("--version", output=str, error=str)
        match = re.search(r"lbmsim version v?(\S+)", output)
        return match.group(1) if match else None

    def setup_build_environment(self, env):
        # Go's modules go into the stage, and can be removed with it.
        env.set("GOPATH", join_path(self.stage.path, "go"))
        env.append_flags("GOFLAGS", "-modcacherw")
        if self.spec.satisfies("+cuda"):
            env.set("CUDA_HOME", self.spec["cuda"].prefix)

    def arguments(self):
        cuda = "yes" if self.spec.satisfies("+cuda") else "none"
        # The target setup would install what it misses by the system's own packages.
        return ["-o", "setup", f"CUDA={cuda}", "ISA=all", f"version={self.spec.version}"]

    def build(self, spec, prefix):
        make(*self.arguments(), "build")

    def install(self, spec, prefix):
        make(*self.arguments(), "-o", "build", f"PREFIX={prefix}", "install")
        for tree in ("cases", "docs", "jobs", "packaging"):
            install_tree(tree, join_path(prefix.share.lbmsim, tree))

    def setup_run_environment(self, env):
        env.set("LBMSIM", self.prefix.bin.lbmsim)
        env.set("LBMSIM_HOME", self.prefix.share.lbmsim)
        if self.spec.satisfies("+cuda"):
            env.set("CUDA_HOME", self.spec["cuda"].prefix)

    def test_info(self):
        """versions, libraries and devices"""
        Executable(self.prefix.bin.lbmsim)("info")

    def test_case(self):
        """a case that holds itself to the values it expects"""
        case = join_path(self.prefix.share.lbmsim, "cases", "validation", "shear_wave.toml")
        Executable(self.prefix.bin.lbmsim)("run", case, "--device", "cpu", "--output", "shear_wave")
