// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package fields

// Other programs' readers must show the numbers that were written. The tests skip
// with a reason where a reader is not installed, and fail there when
// LBMSIM_REQUIRE_READERS is set (continuous integration sets it).
//
//	apt-get install -y --no-install-recommends paraview python3-paraview python3-h5py xvfb
//	python3 -m venv .build/vtk && .build/vtk/bin/pip install vtk numpy
//
// LBMSIM_VTK_PYTHON names another Python that has the vtk wheel.

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lbmsim/decomp"
)

// probeResult is the outcome of a probe. A probe takes as long as a call, so probed keeps them.
type probeResult struct {
	out string
	err error
}

var probed = map[string]probeResult{}

// reader runs a tool and fails the test when it does. probe is a quick call that
// shows whether the tool is installed.
func reader(t *testing.T, install string, probe []string, call ...string) {
	t.Helper()
	key := strings.Join(probe, " ")
	if _, done := probed[key]; !done {
		out, err := run(t, probe...)
		probed[key] = probeResult{out, err}
	}
	if out, err := probed[key].out, probed[key].err; err != nil {
		text := "NOT TESTED: " + strings.Join(probe, " ") + ": " + err.Error() + " " + out + "; install: " + install
		if os.Getenv("LBMSIM_REQUIRE_READERS") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	out, err := run(t, call...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(call, " "), err, out)
	}
	t.Log(out)
}

// display starts a screen in memory for the rest of the test. xvfb-run -a is not
// reliable enough: another test run may take the number that it chose, and its
// server resets, refusing connections, when ParaView has connected to it once and
// reconnects.
func display(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{w}
	err = server.Start()
	w.Close()
	number := ""
	if err == nil {
		t.Cleanup(func() {
			_ = server.Process.Signal(syscall.SIGTERM)
			_ = server.Wait()
		})
		if number, err = bufio.NewReader(r).ReadString('\n'); err != nil {
			err = fmt.Errorf("the server ended: %w", err)
		}
	}
	if err != nil {
		text := "NOT TESTED: Xvfb: " + err.Error() + "; install: " + aptParaView
		if os.Getenv("LBMSIM_REQUIRE_READERS") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(number))
}

func run(t *testing.T, call ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, call[0], call[1:]...)
	// The script's folder must not collect byte code.
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

const (
	aptParaView = "apt-get install -y --no-install-recommends paraview python3-paraview xvfb"
	aptH5py     = "apt-get install -y --no-install-recommends python3-h5py"
	pipVTK      = "python3 -m venv .build/vtk && .build/vtk/bin/pip install vtk numpy"
)

// vtkPython is the Python that has the vtk wheel.
func vtkPython() string {
	if vtk := os.Getenv("LBMSIM_VTK_PYTHON"); vtk != "" {
		return vtk
	}
	return filepath.Join("..", "..", ".build", "vtk", "bin", "python")
}

func script(name string) string { return filepath.Join("testdata", name) }

// So must they see refined grids: values, spacings and extents of all boxes, and of cells that a finer level covers only the finer.
func TestReadersOfLevels(t *testing.T) {
	var numbers, pictures [][]string
	for _, c := range []struct {
		dims  string
		files int
	}{{"2d", 1}, {"3d", 1}, {"2d", 3}, {"3d", 3}} {
		l := testLevels(c.dims == "2d")
		s := Series{Dir: t.TempDir(), Name: "flow", Files: c.files}
		later := testMeta
		later.Step, later.Time = 240, 1.5
		for _, m := range []Meta{testMeta, later} {
			if err := writeLevels(s, l, 3, m, func(rank int) []decomp.Box { return slabs(l, rank, 3) }); err != nil {
				t.Fatal(err)
			}
		}
		file, named := s.Path(120), fmt.Sprintf("%s %d files", c.dims, c.files)
		t.Run("h5py "+named, func(t *testing.T) {
			reader(t, aptH5py, []string{"/usr/bin/python3", "-c", "import h5py, numpy"},
				"/usr/bin/python3", script("read_levels_h5py.py"), file, c.dims)
		})
		t.Run("VTK "+named, func(t *testing.T) {
			if testing.Short() && (c.dims == "2d") == (c.files == 1) {
				t.Skip("the other number of files: make test-all runs it")
			}
			reader(t, pipVTK, []string{vtkPython(), "-c", "import vtkmodules.vtkIOHDF, numpy"}, vtkPython(), script("read_levels_vtk.py"), file, c.dims, "0.75")
		})
		numbers = append(numbers, []string{file, s.Index(), s.xdmf(), c.dims, "0.75", "1.5"})
		if c.files == 1 {
			pictures = append(pictures, []string{s.xdmf(), filepath.Join(s.Dir, "a.png")})
		}
	}
	inParaView(t, "read_levels_paraview.py", numbers, pictures)
}

// inParaView runs a script with each list of arguments, and draws each list of a file and a picture.
func inParaView(t *testing.T, name string, numbers, pictures [][]string) {
	t.Helper()
	several := func(name string, lists [][]string) []string {
		call := []string{script("several.py"), script(name)}
		for i, list := range lists {
			if i > 0 {
				call = append(call, "--")
			}
			call = append(call, list...)
		}
		return call
	}
	t.Run("ParaView", func(t *testing.T) {
		reader(t, aptParaView, []string{"pvpython", "--version"}, append([]string{"pvpython"}, several(name, numbers)...)...)
	})
	t.Run("ParaView pictures", func(t *testing.T) {
		if testing.Short() && name != "read_levels_paraview.py" {
			t.Skip("pictures of refined grids are drawn in the same way: make test-all runs it")
		}
		display(t)
		reader(t, aptParaView, []string{"pvbatch", "--version"}, append([]string{"pvbatch", "--force-offscreen-rendering"}, several("render_paraview.py", pictures)...)...)
	})
}

func TestReaders(t *testing.T) {
	var numbers, pictures [][]string
	vtk := vtkPython()
	for _, c := range []struct {
		dims  string
		files int
	}{{"2d", 1}, {"3d", 1}, {"2d", 4}, {"3d", 4}} {
		dims, flat := c.dims, c.dims == "2d"
		s := Series{Dir: t.TempDir(), Name: "flow", Files: c.files}
		later := testMeta
		later.Step, later.Time = 240, 1.5
		for _, m := range []Meta{testMeta, later} {
			if err := writeFile(s, 3, flat, m); err != nil {
				t.Fatal(err)
			}
		}
		file, named := s.Path(120), fmt.Sprintf("%s %d files", dims, c.files)
		t.Run("h5py "+named, func(t *testing.T) {
			reader(t, aptH5py, []string{"/usr/bin/python3", "-c", "import h5py, numpy"},
				"/usr/bin/python3", script("read_h5py.py"), file, dims)
		})
		t.Run("VTK "+named, func(t *testing.T) {
			if testing.Short() && (c.dims == "2d") != (c.files == 1) {
				t.Skip("the other number of files: make test-all runs it")
			}
			reader(t, pipVTK, []string{vtk, "-c", "import vtkmodules.vtkIOHDF, numpy"}, vtk, script("read_vtk.py"), file, dims, "0.75")
		})
		numbers = append(numbers, []string{s.Index(), s.xdmf(), dims, "0.75", "1.5"})
		if c.files == 1 {
			pictures = append(pictures, []string{s.xdmf(), filepath.Join(s.Dir, "a.png")})
		}
	}
	inParaView(t, "read_paraview.py", numbers, pictures)
}
