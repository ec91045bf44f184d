// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"lbmsim/comm"
)

// Library is an MPI library that was found on this machine.
type Library struct {
	Version string // such as "Open MPI v4.1.4"
	Path    string // of the file
	How     string // it was found, such as "beside its launcher /usr/bin/orterun"
	ABI     string // "Open MPI", "MPICH" or "MPI 5"

	found *C.library_t
}

// String names the library, its file and how it was found.
func (l Library) String() string { return fmt.Sprintf("%s (%s, %s)", l.Version, l.Path, l.How) }

// insists is the variable with which a user selects the library.
const insists = "LBMSIM_MPI"

// abi is a set of libraries that can be used with the same numbers and types.
type abi struct {
	name    string
	number  C.int
	loader  []string // names for the system's loader
	pattern []string // of their files in a folder
}

var (
	openMPI  = &abi{"Open MPI", C.ABI_OPENMPI, []string{"libmpi.so.40", "libmpi.so.20"}, []string{"libmpi.so.40", "libmpi.so.20", "libmpi_ibm.so.*"}}
	mpich    = &abi{"MPICH", C.ABI_MPICH, []string{"libmpi.so.12", "libmpich.so.12"}, []string{"libmpi.so.12", "libmpich.so.12", "libmpi_gnu*.so.12", "libmpi_*.so.12"}}
	standard = &abi{"MPI 5", C.ABI_STANDARD, []string{"libmpi_abi.so.1"}, []string{"libmpi_abi.so.1"}}
	abis     = []*abi{openMPI, mpich, standard}
)

// launched returns the launcher of this process: the nearest one among its parents, if visible.
// Variables may come from an outer launcher, which has started this one.
func launched(ancestors []string, lookup func(string) (string, bool)) (comm.Launch, bool) {
	for _, program := range ancestors {
		switch name := filepath.Base(program); {
		case slices.Contains(hydras, name):
			if l, ok := comm.LaunchedByPMI(lookup); ok {
				return l, true
			}
		case slices.Contains(openMPIs, name):
			return comm.Launched(lookup)
		}
	}
	return comm.Launched(lookup)
}

// abisOf returns the ABIs that a launcher can start, the likeliest first. Open MPI's mpirun and
// Hydra start only their own kind; srun starts any library that finds PMI or PMIx.
func abisOf(l comm.Launch, ancestors []string, lookup func(string) (string, bool)) []*abi {
	hydra := false
	for _, variable := range []string{"HYDI_CONTROL_FD", "MPI_LOCALRANKID"} {
		_, ok := lookup(variable)
		hydra = hydra || ok
	}
	hydra = hydra || slices.ContainsFunc(ancestors, func(program string) bool { return slices.Contains(hydras, filepath.Base(program)) })
	switch {
	case l.By == "Open MPI", l.By == "jsrun":
		return []*abi{openMPI, standard}
	case hydra && l.By == comm.PMI, l.By == "MVAPICH", l.By == "PALS":
		return []*abi{mpich, standard}
	case l.By == comm.PMI, l.By == "Flux":
		return []*abi{mpich, standard, openMPI}
	}
	return abis
}

// place is a possible location of libraries.
type place struct {
	folder   string // "": the search path of the system's loader
	how      string
	launcher bool // beside it: another library would not fit
}

// The file names of launchers: of either kind, or of both.
var (
	openMPIs  = []string{"orterun", "orted", "prte", "prterun", "prted"}
	hydras    = []string{"mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy"}
	launchers = slices.Concat(openMPIs, hydras, []string{"mpirun", "mpiexec", "mpispawn"})
)

const besideLauncher = "beside its launcher"

// places in the order in which they are searched: a library beside the launcher fits it, then
// follow the user's modules, and the system's libraries last.
func places(lookup func(string) (string, bool), ancestors []string, path func(string) string) []place {
	var list []place
	beside := func(program, how string) {
		bin := filepath.Dir(program)
		if filepath.Base(bin) != "bin" {
			return
		}
		for _, lib := range []string{"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib/release"} {
			list = append(list, place{filepath.Join(filepath.Dir(bin), lib), how + " " + program, how == besideLauncher})
		}
	}
	for _, program := range ancestors {
		if slices.Contains(launchers, filepath.Base(program)) {
			beside(program, besideLauncher)
			break
		}
	}
	// Open MPI passes its location to its ranks, also to ranks in a container, which do not see it.
	if folder, _ := lookup("OMPI_LIBDIR_LOC"); folder != "" {
		list = append(list, place{folder: folder, how: "from OMPI_LIBDIR_LOC of its launcher"})
	}
	if prefix, _ := lookup("OPAL_PREFIX"); prefix != "" {
		list = append(list, place{folder: filepath.Join(prefix, "lib"), how: "by OPAL_PREFIX"})
	}
	for _, variable := range []string{"LD_LIBRARY_PATH", "CRAY_LD_LIBRARY_PATH"} {
		text, _ := lookup(variable)
		for _, folder := range filepath.SplitList(text) {
			if folder != "" {
				list = append(list, place{folder: folder, how: "by " + variable})
			}
		}
	}
	for _, variable := range []string{"CRAY_MPICH_DIR", "MPICH_DIR", "I_MPI_ROOT", "EBROOTOPENMPI", "MPI_HOME", "MPI_ROOT"} {
		if prefix, _ := lookup(variable); prefix != "" {
			for _, lib := range []string{"lib", "lib64", "lib/release"} {
				list = append(list, place{folder: filepath.Join(prefix, lib), how: "by " + variable})
			}
		}
	}
	for _, name := range []string{"mpirun", "mpiexec", "mpicc"} {
		beside(path(name), "beside")
	}
	beside(path(""), "beside")
	return append(list, place{how: "by the system's loader"})
}

// parents returns the executables of this process's ancestors, the nearest first, as far as they are visible.
func parents() []string {
	var list []string
	for pid, depth := os.Getppid(), 0; pid > 1 && depth < 16; depth++ {
		if program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
			list = append(list, program)
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			break
		}
		// The name of the executable, in brackets, is arbitrary.
		text := string(stat)
		text = text[strings.LastIndexByte(text, ')')+1:]
		if n, _ := fmt.Sscanf(text, " %s %d", new(string), &pid); n != 2 {
			break
		}
	}
	return list
}

// program returns the file of a command in PATH, or this process's own for "".
func program(name string) string {
	var file string
	var err error
	if name == "" {
		file, err = os.Executable()
	} else {
		file, err = exec.LookPath(name)
	}
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return file
}

// Find returns the MPI library that this process should use if l started it, or would use under a
// launcher; lookup is os.LookupEnv. Nothing is bound yet: Init does that.
func Find(l comm.Launch, lookup func(string) (string, bool)) (Library, error) {
	return find(l, parents(), lookup)
}

func find(l comm.Launch, ancestors []string, lookup func(string) (string, bool)) (Library, error) {
	already, inside, _ := look("", "already in the process")
	if file, ok := lookup(insists); ok && file != "" {
		found, err := insisted(file, append(abisOf(l, ancestors, lookup), abis...))
		if err == nil && inside && found.Path != already.Path {
			err = fmt.Errorf("%s is %s, but %s is %s: start lbmsim without it", insists, file, already.Path, already.How)
		}
		return found, err
	}
	if inside {
		return already, unknown(already)
	}
	wanted := abisOf(l, ancestors, lookup)
	all := places(lookup, ancestors, program)
	found, failed, err := search(all, wanted, func(l Library) bool { return fits(l, wanted) })
	if err != nil {
		return Library{}, err
	}
	if found != nil {
		return *found, nil
	}
	const set = "load the module of that library, or set " + insists + " to its file"
	by := l.By + " started this process, but "
	if l.By == "" {
		by = ""
	}
	which := names(wanted)
	if len(failed) > 0 {
		which += "; not loaded: " + strings.Join(failed, "; ")
	}
	if alien, _, _ := search(all, abis, func(Library) bool { return true }); alien != nil {
		return Library{}, fmt.Errorf("%sfound no MPI library of its kind (%s), only %s: %s", by, which, alien, set)
	}
	return Library{}, fmt.Errorf("%sfound no MPI library (%s; searched beside the launcher, in LD_LIBRARY_PATH, beside the mpirun on PATH, and by the system's loader): %s",
		by, which, set)
}

// search loads the files of some ABIs, place by place, until one fits; nil if there is no such file. failed lists files that
// exist and do not load. The launcher's own library must load: another one would not fit.
func search(places []place, abis []*abi, right func(Library) bool) (found *Library, failed []string, err error) {
	var tried []string
	for _, p := range places {
		for _, a := range abis {
			for _, file := range a.files(p.folder) {
				if slices.Contains(tried, file) {
					continue
				}
				tried = append(tried, file)
				l, ok, why := look(file, p.how)
				switch {
				case ok && right(l):
					return &l, nil, nil
				case ok, p.folder == "", strings.Contains(why, "wrong ELF class"), strings.Contains(why, "invalid ELF header"):
				case p.launcher:
					return nil, nil, fmt.Errorf("%s is the MPI library %s, but does not load: %s; provide its dependencies (a module, LD_LIBRARY_PATH), or set %s to another library of the same kind",
						file, p.how, why, insists)
				default:
					failed = append(failed, why)
				}
			}
		}
	}
	return nil, failed, nil
}

// fits reports whether a library is of one of these ABIs. The standard ABI belongs to no family:
// there the name of the library decides.
func fits(l Library, wanted []*abi) bool {
	if l.ABI == standard.name && len(wanted) < len(abis) {
		return strings.HasPrefix(l.Version, openMPI.name) == (wanted[0] == openMPI)
	}
	return slices.ContainsFunc(wanted, func(a *abi) bool { return a.name == l.ABI })
}

func names(list []*abi) string {
	var words []string
	for _, a := range list {
		words = append(words, strings.Join(a.loader, ", "))
	}
	return strings.Join(words, ", ")
}

// files of this ABI in a folder; for the system's loader, names.
func (a *abi) files(folder string) []string {
	if folder == "" {
		return a.loader
	}
	var list []string
	for _, p := range a.pattern {
		found, _ := filepath.Glob(filepath.Join(escape(folder), p))
		for _, file := range found {
			if !slices.Contains(list, file) {
				list = append(list, file)
			}
		}
	}
	return list
}

// escape quotes a folder's name for Glob.
func escape(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// insisted returns the library selected by the user: a file, a name for the loader, a folder with
// libraries or its parent.
func insisted(file string, wanted []*abi) (Library, error) {
	if s, err := os.Stat(file); err == nil && s.IsDir() {
		var failed []string
		for _, folder := range []string{file, filepath.Join(file, "lib"), filepath.Join(file, "lib64")} {
			for _, a := range wanted {
				for _, f := range a.files(folder) {
					l, ok, why := look(f, "by "+insists)
					if ok {
						return l, unknown(l)
					}
					failed = append(failed, why)
				}
			}
		}
		if len(failed) > 0 {
			return Library{}, fmt.Errorf("%s is the folder %s: %s", insists, file, strings.Join(slices.Compact(failed), "; "))
		}
		return Library{}, fmt.Errorf("%s is the folder %s, which contains none of %s", insists, file, names(abis))
	}
	l, ok, why := look(file, "by "+insists)
	if !ok {
		return Library{}, fmt.Errorf("%s is %s: %s", insists, file, why)
	}
	return l, unknown(l)
}

// unknown returns an error for a library whose ABI lbmsim does not support.
func unknown(l Library) error {
	if l.ABI != "" {
		return nil
	}
	return fmt.Errorf("the MPI library %s (%s) has an unknown ABI: lbmsim supports Open MPI, MPICH and its relatives (Intel MPI, Cray MPICH, MVAPICH), and the standard ABI of MPI 5 (libmpi_abi.so.1); set %s to one of these",
		l.Path, l.Version, insists)
}

// look loads a library separately and identifies it; file "" is the library already in the process.
// why reports the reason that a file is not an MPI library.
func look(file, how string) (l Library, ok bool, why string) {
	var path *C.char
	if file != "" {
		path = C.CString(file)
		defer C.free(unsafe.Pointer(path))
	}
	found := new(C.library_t)
	ok = C.library_look(path, found) != 0
	text := C.GoString(&found.text[0])
	if !ok {
		return Library{}, false, text
	}
	l = Library{Version: versionOf(text), Path: C.GoString(&found.path[0]), How: how, found: found}
	for _, a := range abis {
		if a.number == found.abi {
			l.ABI = a.name
		}
	}
	return l, true, ""
}

// versionOf returns the name and the number in the text of MPI_Get_library_version.
func versionOf(text string) string {
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ",")
		line = strings.Join(strings.Fields(line), " ")
		if _, number, ok := strings.Cut(line, "MPI VERSION : "); ok {
			line = number // Cray's
		}
		line = strings.NewReplacer("MPICH Version: ", "MPICH ", "MPICH Version:", "MPICH", "MVAPICH2 Version : ", "MVAPICH2 ", "MVAPICH Version : ", "MVAPICH ",
			" for Linux* OS", "", "(ANL base ", "(").Replace(line)
		if line != "" {
			return line
		}
	}
	return "an MPI library without a version string"
}

// taken is set once this process has its library: MPI allows one per process.
var taken bool

// take makes l the library of this process.
func (l Library) take() error {
	if missing := C.library_take(l.found); missing != nil {
		return fmt.Errorf("the MPI library %s cannot be used: %s", l, C.GoString(missing))
	}
	taken = true
	return nil
}
