// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package mpi

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lbmsim/comm"
)

// environment looks up names in lines of NAME=VALUE.
func environment(lines ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, l := range lines {
			if n, v, _ := strings.Cut(l, "="); n == name {
				return v, true
			}
		}
		return "", false
	}
}

// The launcher determines which kinds of library can be its ranks.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		name, env, want string
	}{
		{"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_RANK=0", "Open MPI, MPI 5"},
		{"Hydra", "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=0", "MPICH, MPI 5"},
		{"Hydra in a SLURM job", "PMI_RANK=0 PMI_SIZE=2 HYDI_CONTROL_FD=7 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", "MPICH, MPI 5"},
		{"srun --mpi=pmi2", "PMI_RANK=0 PMI_SIZE=2 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2", "MPICH, MPI 5, Open MPI"},
		{"srun --mpi=pmix", "PMIX_RANK=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2", "Open MPI, MPICH, MPI 5"},
		{"PALS", "PALS_RANKID=0 PALS_SIZE=2", "MPICH, MPI 5"},
		{"nothing", "", "Open MPI, MPICH, MPI 5"},
	} {
		lookup := environment(strings.Fields(test.env)...)
		launch, _ := comm.Launched(lookup)
		var got []string
		for _, a := range abisOf(launch, nil, lookup) {
			got = append(got, a.name)
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %s, want %s", test.name, s, test.want)
		}
	}
}

// A library beside the launcher comes before libraries of modules, and these before the system's.
func TestPlaces(t *testing.T) {
	lookup := environment("LD_LIBRARY_PATH=/modules/lib::/more", "I_MPI_ROOT=/intel", "MPICH_DIR=")
	path := func(name string) string {
		return map[string]string{"mpirun": "/path/bin/mpirun", "": "/venv/bin/lbmsim"}[name]
	}
	var got []string
	for _, p := range places(lookup, []string{"/usr/bin/bash", "/site/bin/prted", "/usr/bin/orted"}, path) {
		if p.folder == "" || filepath.Base(p.folder) == "lib" || p.folder == "/more" {
			got = append(got, p.folder+" "+p.how)
		}
	}
	want := []string{
		"/site/lib beside its launcher /site/bin/prted",
		"/modules/lib by LD_LIBRARY_PATH", "/more by LD_LIBRARY_PATH",
		"/intel/lib by I_MPI_ROOT",
		"/path/lib beside /path/bin/mpirun", "/venv/lib beside /venv/bin/lbmsim",
		" by the system's loader",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A folder may hold Cray's many libraries, and its name may contain pattern characters.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[1]*?")
	for _, name := range []string{"libmpi_gnu_123.so.12", "libmpi_abi.so.1", "libmpi.so.40", "libmpicxx.so.12", "libmpi.so"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for a, want := range map[*abi]string{openMPI: "libmpi.so.40", mpich: "libmpi_gnu_123.so.12", standard: "libmpi_abi.so.1"} {
		if got := a.files(dir); len(got) != 1 || filepath.Base(got[0]) != want {
			t.Errorf("%s: %q, want %s", a.name, got, want)
		}
	}
}

// The first words of the libraries' version texts.
func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4":                    "Open MPI v4.1.4",
		"MPICH Version:\t3.4.3\nMPICH Release date:\tThu":                           "MPICH 3.4.3",
		"MPICH Version:      5.0.2\nMPICH ABI: \n":                                  "MPICH 5.0.2",
		"Intel(R) MPI Library 2021.18.1 for Linux* OS\n":                            "Intel(R) MPI Library 2021.18.1",
		"MPI VERSION    : CRAY MPICH version 8.1.28.29 (ANL base 3.4a2)\nMPI BUILD": "CRAY MPICH version 8.1.28.29 (3.4a2)",
		"MVAPICH2 Version      :\t2.3.7\n":                                          "MVAPICH2 2.3.7",
		"":                                                                          "an MPI library without a version string",
	} {
		if got := versionOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// compile makes a shared object of a C text.
func compile(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	source, object := filepath.Join(dir, "a.c"), filepath.Join(dir, name)
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", object, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return object
}

const says = `
#include <string.h>
int MPI_Get_library_version(char *text, int *n) { strcpy(text, "Foo MPI 1.0"); *n = 11; return 0; }
`

// A file selected by the user is used unchanged, or the message has the reason.
func TestInsisted(t *testing.T) {
	empty := t.TempDir()
	for _, test := range []struct{ what, file, want string }{
		{"no file", "/nowhere/libmpi.so", "LBMSIM_MPI is /nowhere/libmpi.so"},
		{"another library", compile(t, "libnone.so", "int none;"), "no library of MPI 3 or newer"},
		{"a text", "library_test.go", "LBMSIM_MPI is library_test.go"},
		{"an empty folder", empty, "contains none of libmpi.so.40"},
		{"another ABI", compile(t, "libmpi.so.40", says), "Foo MPI 1.0) has an unknown ABI"},
		{"a later ABI", compile(t, "libmpi_abi.so.9", says+"int MPI_Abi_get_version(int *a, int *b) { *a = 2; *b = 0; return 0; }"), "unknown ABI"},
	} {
		_, err := Find(comm.Launch{By: "Open MPI", Ranks: 2}, environment("LBMSIM_MPI="+test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.what, err, test.want)
		}
	}
	l, err := Find(comm.Launch{}, environment("LBMSIM_MPI="+filepath.Dir(compile(t, "libmpi_abi.so.1", says+"int MPI_Abi_get_version(int *a, int *b) { *a = 1; *b = 0; return 0; }"))))
	if err != nil || l.ABI != "MPI 5" || l.Version != "Foo MPI 1.0" || filepath.Base(l.Path) != "libmpi_abi.so.1" {
		t.Errorf("%+v, %v", l, err)
	}
	if err := l.take(); err == nil || !strings.Contains(err.Error(), "it lacks MPI_") {
		t.Errorf("a library without its functions: %v", err)
	}
}

// A library that is not of the launcher's kind is named, not used.
func TestAlien(t *testing.T) {
	dir := filepath.Dir(compile(t, "libmpi_abi.so.1", says+"int MPI_Abi_get_version(int *a, int *b) { *a = 1; *b = 0; return 0; }"))
	only := []place{{folder: dir, how: "by this test"}}
	if l, _, _ := search(only, []*abi{openMPI, standard}, func(l Library) bool { return fits(l, []*abi{openMPI, standard}) }); l != nil {
		t.Errorf("the standard ABI of another family fits Open MPI's mpirun: %v", l)
	}
	if l, _, _ := search(only, []*abi{mpich, standard}, func(l Library) bool { return fits(l, []*abi{mpich, standard}) }); l == nil {
		t.Error("the standard ABI does not fit Hydra")
	}
}

// The nearest launcher counts, not the environment of an outer one.
func TestNested(t *testing.T) {
	both := environment("OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1", "PMI_RANK=1", "PMI_SIZE=2")
	for _, test := range []struct {
		ancestors, by string
		ranks         int
		first         *abi
	}{
		{"/bin/bash /m/bin/hydra_pmi_proxy /o/bin/orterun", comm.PMI, 2, mpich},
		{"/o/bin/prted /m/bin/hydra_pmi_proxy", "Open MPI", 1, openMPI},
		{"", "Open MPI", 1, openMPI},
	} {
		l, _ := launched(strings.Fields(test.ancestors), both)
		if got := abisOf(l, strings.Fields(test.ancestors), both); l.By != test.by || l.Ranks != test.ranks || got[0] != test.first {
			t.Errorf("%s: %+v, %s first", test.ancestors, l, got[0].name)
		}
	}
}

// The launcher's own library must load: another one would not fit it. One elsewhere need not,
// but its defect is reported where none is found.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	needs := compile(t, "libgone.so", "int gone(void) { return 0; }")
	source := filepath.Join(dir, "a.c")
	if err := os.WriteFile(source, []byte(says), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "libmpi.so.12")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", file, source, "-Wl,--no-as-needed", needs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(needs); err != nil {
		t.Fatal(err)
	}
	any := func(Library) bool { return true }
	if _, _, err := search([]place{{dir, "beside its launcher /x/bin/mpirun", true}}, []*abi{mpich}, any); err == nil || !strings.Contains(err.Error(), "libgone.so") {
		t.Errorf("the launcher's library lacks another one: %v", err)
	}
	if l, failed, err := search([]place{{folder: dir}}, []*abi{mpich}, any); err != nil || l != nil || len(failed) != 1 || !strings.Contains(failed[0], "libgone.so") {
		t.Errorf("a library lacks another one: %v, %q, %v", l, failed, err)
	}
	if _, err := find(comm.Launch{}, nil, environment("LBMSIM_MPI="+dir)); err == nil || !strings.Contains(err.Error(), "libgone.so") {
		t.Errorf("a folder with such a library: %v", err)
	}
}

// The numbers of our three ABIs equal the numbers in the libraries' own headers.
func TestNumbers(t *testing.T) {
	const common = `
#include <stdio.h>
#define N(x) printf("%s %ld\n", #x, (long)(x));
int main(void) {
    N(sizeof(MPI_Comm)) N(sizeof(MPI_Datatype)) N(sizeof(MPI_Errhandler)) N(sizeof(MPI_Info)) N(sizeof(MPI_Message)) N(sizeof(MPI_Op)) N(sizeof(MPI_Request))
    N(MPI_SUCCESS) N(MPI_ERR_TRUNCATE) N(MPI_ERR_NO_MEM) N(MPI_THREAD_FUNNELED) N(MPI_COMM_TYPE_SHARED) N(MPI_UNDEFINED) N(MPI_TAG_UB)
    N(MPI_IN_PLACE) N(MPI_STATUS_IGNORE)
    N(sizeof(MPI_Status) <= 64)
#ifdef NUMBERED
    N(MPI_COMM_WORLD) N(MPI_COMM_SELF) N(MPI_BYTE) N(MPI_LONG_LONG) N(MPI_MAX) N(MPI_INFO_NULL) N(MPI_ERRORS_RETURN)
#endif
    return 0;
}
`
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ abi, header, compiler, numbered string }{
		{"openmpi.c", "mpi.h", "mpicc.openmpi", ""},
		{"mpich.c", "mpi.h", "mpicc.mpich", "-DNUMBERED"},
		// Brought by make test-mpis.
		{"standard.c", "mpi_abi.h", os.Getenv("LBMSIM_MPICC_ABI"), "-DNUMBERED"},
	} {
		t.Run(test.abi, func(t *testing.T) {
			if _, err := exec.LookPath(test.compiler); err != nil {
				t.Skipf("no compiler for the ABI of %s (%q)", test.abi, test.compiler)
			}
			dir := t.TempDir()
			run := func(include, compiler string, more ...string) string {
				t.Helper()
				source, program := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
				if err := os.WriteFile(source, []byte("#include "+include+common), 0o644); err != nil {
					t.Fatal(err)
				}
				args := slices.Concat([]string{"-o", program, source}, more, strings.Fields(test.numbered), []string{"-lpthread", "-ldl"})
				if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", compiler, err, out)
				}
				// MPI is not called, but the library is loaded.
				out, err := exec.Command(program).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return string(out)
			}
			rest := slices.DeleteFunc([]string{"load.c", "openmpi.c", "mpich.c", "standard.c"}, func(file string) bool { return file == test.abi })
			ours, theirs := run(`"`+filepath.Join(here, test.abi)+`"`, "gcc", rest...), run("<"+test.header+">", test.compiler)
			if ours != theirs || len(strings.Split(ours, "\n")) < 17 {
				t.Errorf("ours:\n%s\nthose of %s:\n%s", ours, test.compiler, theirs)
			}
		})
	}
}
