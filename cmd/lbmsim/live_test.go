// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lbmsim/io/picture"
	"lbmsim/sim"
)

// Wrong addresses, ports in use and paths that are not folders are usage errors with their cure.
func TestLiveUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := fmt.Sprint(taken.Addr().(*net.TCPAddr).Port)
	path := caseForLive(t, "steps = 10")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", path, "--live=" + port}, "another program has port " + port},
		{[]string{"run", path, "--live=x"}, "is not an address"},
		{[]string{"run", path, "--live=false", "--live-notebook"}, "--live=false excludes"},
		{[]string{"run", path, "--live", "8080"}, "--live=8080"},
		{[]string{path, "--live", "8080"}, "--live=8080"},
		{[]string{"run", path, path, "--live"}, "expected one case file"},
		{[]string{"watch"}, "expected the output folder"},
		{[]string{"watch", path}, "is not a folder"},
		{[]string{"watch", t.TempDir(), "--listen", port}, "another program has port " + port},
		{[]string{"film", t.TempDir()}, "has no pictures"},
		{[]string{"film"}, "expected the output folder"},
		{[]string{"film", t.TempDir(), "--fps", "0"}, "--fps 0"},
	} {
		code, said := heard(t, func() int { return execute(c.args) })
		if code != sim.ExitUsage || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit code %d, %q", c.args, code, said)
		}
	}
}

// --live=false serves no page, whatever the case has.
func TestNoPage(t *testing.T) {
	path := caseForLive(t, "steps = 10\n[live]")
	for arg, want := range map[string]bool{"--live=true": true, "--live=false": false} {
		stdout, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		before := os.Stdout
		os.Stdout = w
		code := execute([]string{"run", path, arg, "--overwrite", "--device", "cpu", "--threads", "1"})
		os.Stdout = before
		w.Close()
		var said bytes.Buffer
		if _, err := said.ReadFrom(stdout); err != nil {
			t.Fatal(err)
		}
		if code != 0 || strings.Contains(said.String(), "http://localhost:") != want {
			t.Errorf("%s: exit code %d, a page %v is expected:\n%s", arg, code, want, &said)
		}
	}
}

// heard returns a function's output to stderr, and its result.
func heard(t *testing.T, f func() int) (int, string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = w
	code := f()
	os.Stderr = before
	w.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return code, b.String()
}

// caseForLive writes a small case with outputs.
func caseForLive(t *testing.T, end string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "box.toml")
	text := fmt.Sprintf("[domain]\ncells = [16, 16]\nperiodic = [\"x\", \"y\"]\n[fluid]\nviscosity = 0.1\n[run]\n%s\n[output]\ndir = %q\n[output.series.energy]\nevery = 100\n", end, filepath.Join(dir, "out"))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A run with --live answers on its port while it computes, ends on the page's order, and frees the port.
func TestRunLive(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	path := caseForLive(t, "steps = 2000000000")
	said, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	before := os.Stdout
	os.Stdout = w
	end := make(chan int, 1)
	go func() { end <- execute([]string{"run", path, "--live=" + at, "--device", "cpu", "--threads", "1"}) }()
	first := make([]byte, 200)
	n, err := said.Read(first)
	os.Stdout = before
	_, token, ok := strings.Cut(string(first[:n]), "#")
	if err != nil || !ok || !strings.HasPrefix(string(first[:n]), "live ") {
		t.Fatalf("%q %v", first[:n], err)
	}
	go func() { // the rest of the report
		for err == nil {
			_, err = said.Read(make([]byte, 1<<10))
		}
	}()
	ask := func(method, path string) (code int, text string) {
		r, err := http.NewRequest(method, "http://"+at+"/api/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token[:32])
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		var b bytes.Buffer
		if _, err := b.ReadFrom(got.Body); err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, b.String()
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var runs []struct{ Phase string }
		if _, text := ask("GET", "runs"); json.Unmarshal([]byte(text), &runs) == nil && runs[0].Phase == "running" {
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatal("the run does not begin")
		}
	}
	if code, text := ask("GET", "0/slice?field=density&axis=z&at=0"); code != 200 || !strings.Contains(text, `"PNG":"iVBOR`) {
		t.Errorf("%d %.200s", code, text)
	}
	if code, text := ask("POST", "0/order/stop"); code != 200 {
		t.Errorf("%d %s", code, text)
	}
	select {
	case code := <-end:
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(time.Minute):
		t.Fatal("the run does not end")
	}
	w.Close()
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("the port is not free")
	}
}

// An animation has the name of its pictures, and shows one series.
func TestFilm(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"speed", "cut"} {
		for step := range int64(3) {
			var b bytes.Buffer
			if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 6))); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, picture.FileName(name, step)), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", t.TempDir()) // no ffmpeg
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, sim.ExitUsage, "choose one by --name: cut, speed"},
		{[]string{"--name", "velocity"}, sim.ExitUsage, "it has: cut, speed"},
		{[]string{"--name", "cut", "--output", "a.mp4"}, sim.ExitUsage, "install ffmpeg, or name the animation *.apng"},
		{[]string{"--name", "cut", "--output", "a.gif"}, sim.ExitUsage, "*.apng"},
		{[]string{"--name", "cut"}, 0, ""},
	} {
		code, said := heard(t, func() int { return execute(append([]string{"film", dir}, c.args...)) })
		if code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit code %d, %q", c.args, code, said)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.apng")); len(found) != 1 || filepath.Base(found[0]) != "cut.apng" {
		t.Errorf("%v", found)
	}
}
