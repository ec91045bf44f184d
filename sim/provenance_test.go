package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/io/picture"
	"lbmsim/sim/domain"
)

// contents is what an output says but for its provenance: that must not depend on ranks,
// threads or restarts.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	switch filepath.Ext(path) {
	case ".csv":
		for _, line := range bytes.SplitAfter(raw, []byte("\n")) {
			if !bytes.HasPrefix(line, []byte("# "+ProvenanceMark)) {
				b.Write(line)
			}
		}
	case ".png":
		text, err := picture.ReadText(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ProvenanceOf(text["Provenance"]); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		delete(text, "Provenance")
		p, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&b, text, p)
	case ".hdf":
		if strings.HasSuffix(filepath.Dir(path), ".parts") {
			return raw // numbers alone
		}
		f, err := fields.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := ProvenanceOf(f.Meta.Provenance); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		f.Meta.Provenance = ""
		fmt.Fprintln(&b, f.Meta, f.N, f.Fields)
		for i := range f.Fields {
			values := make([]float64, f.Values(i))
			for k := range f.Planes {
				if err := f.Plane(i, k, values); err != nil {
					t.Fatal(err)
				}
				b.Write(domain.BytesOf(values))
			}
		}
	default:
		return raw
	}
	return b.Bytes()
}

func TestLegs(t *testing.T) {
	leg := func(from, ranks int) Leg { return Leg{From: from, Version: "v", Ranks: ranks} }
	var p Provenance
	for i, c := range []struct {
		next Leg
		want []Leg
	}{
		{leg(0, 1), []Leg{leg(0, 1)}},
		{leg(10, 1), []Leg{leg(0, 1)}}, // as before
		{leg(20, 2), []Leg{leg(0, 1), leg(20, 2)}},
		{leg(30, 4), []Leg{leg(0, 1), leg(20, 2), leg(30, 4)}},
		{leg(20, 4), []Leg{leg(0, 1), leg(20, 4)}}, // from an older checkpoint
		{leg(15, 1), []Leg{leg(0, 1)}},
		{leg(0, 3), []Leg{leg(0, 3)}},
	} {
		if p = p.and(c.next); !reflect.DeepEqual(p.Legs, c.want) {
			t.Errorf("%d: %+v, want %+v", i, p.Legs, c.want)
		}
		if back, err := ProvenanceOf(p.String()); err != nil || back.String() != p.String() {
			t.Errorf("%d: %v, %v", i, back, err)
		}
	}
}

// Every output says by what means it was computed, on how many ranks, and keeps what
// earlier ranks did.
func TestEveryOutputHasItsProvenance(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["channel with a body"] + ending("regularized", "float32", 20))
	trial{text: text, ranks: 3, dir: dir}.must(t)
	trial{text: strings.Replace(text, "steps = 20", "steps = 30", 1), ranks: 2, dir: dir, restart: "latest"}.must(t)
	check := func(name, text string, froms ...int) {
		t.Helper()
		p, err := ProvenanceOf(text)
		if err != nil || len(p.Legs) != len(froms) {
			t.Errorf("%s: %s (%v)", name, text, err)
			return
		}
		for i, l := range p.Legs {
			if l.From != froms[i] || l.Ranks != []int{3, 2}[i] || l.Go == "" || len(l.Devices) != 1 || l.Devices[0].Ranks != l.Ranks || l.Devices[0].Model == "" || !strings.HasPrefix(l.Libraries[0], "HDF5 1.") {
				t.Errorf("%s: leg %d is %+v", name, i, l)
			}
		}
	}
	for step, froms := range map[int64][]int{20: {0}, 30: {0, 20}} {
		f, err := fields.Open(fields.Series{Dir: filepath.Join(dir, "fields"), Name: "fields"}.Path(step))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		check(fmt.Sprint("fields of step ", step), f.Meta.Provenance, froms...)
		c, err := checkpoint.Open(checkpoint.Path(filepath.Join(dir, checkpointDir), step))
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		p, err := ProvenanceIn(c.Header)
		if err != nil {
			t.Error(err)
		}
		check(fmt.Sprint("checkpoint of step ", step), p.String(), froms...)
	}
	tables, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
	if len(tables) == 0 {
		t.Fatal("no tables")
	}
	for _, path := range tables { // begun by the first leg
		_, text, ok := strings.Cut(string(read(t, path)), "\n# "+ProvenanceMark)
		line, _, _ := strings.Cut(text, "\n")
		if check(path, line, 0); !ok {
			t.Errorf("%s has none", path)
		}
	}
	var m memory
	if err := json.Unmarshal([]byte(`{"Start":{"Mass":0}}`), &m); err != nil || len(m.Provenance.Legs) != 0 {
		t.Errorf("a checkpoint without provenance: %v", err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Copies of inputs are what the run read, or none.
func TestInputsAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.stl")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	to := filepath.Join(dir, "inputs")
	for range 2 { // the second run finds it there
		if err := keepInput(path, to, sum); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(to, sum+".stl")); string(got) != "abc" {
			t.Errorf("%q", got)
		}
	}
	other := strings.Repeat("0", 64)
	if err := keepInput(path, to, other); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("a file that has changed: %v", err)
	}
	if left, _ := os.ReadDir(to); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}
