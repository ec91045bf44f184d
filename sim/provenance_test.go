// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lbmsim/internal/raw"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/io/picture"
	"lbmsim/sim/output"
)

// contents returns the contents of an output except its provenance: they must not depend on ranks,
// threads or restarts.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	switch filepath.Ext(path) {
	case ".csv":
		for _, line := range bytes.SplitAfter(data, []byte("\n")) {
			if !bytes.HasPrefix(line, []byte("# "+output.ProvenanceMark)) {
				b.Write(line)
			}
		}
	case ".png":
		text, err := picture.ReadText(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := output.ProvenanceOf(text["Provenance"]); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		delete(text, "Provenance")
		p, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		all := image.NewRGBA(p.Bounds())
		draw.Draw(all, p.Bounds(), p, p.Bounds().Min, draw.Src)
		fmt.Fprint(&b, text, p.Bounds())
		b.Write(all.Pix)
	case ".hdf":
		if strings.HasSuffix(filepath.Dir(path), ".parts") {
			return data // numbers alone
		}
		f, err := fields.OpenLevels(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := output.ProvenanceOf(f.Meta.Provenance); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		f.Meta.Provenance = ""
		fmt.Fprintln(&b, f.Meta, f.Levels, f.Fields)
		for box := range f.Levels.Count() {
			for i := range f.Fields {
				values := make([]float64, f.BoxValues(box, i))
				for k := range f.BoxPlanes(box) {
					if err := f.BoxPlane(box, i, k, values); err != nil {
						t.Fatal(err)
					}
					b.Write(raw.Bytes(values))
				}
			}
		}
	default:
		return data
	}
	return b.Bytes()
}

// Every output records the software, devices and ranks of its computation, and keeps the records of
// earlier legs.
func TestEveryOutputHasItsProvenance(t *testing.T) {
	dir := t.TempDir()
	text := withPoint(variety["channel with a body"] + ending("regularized", "float32", 20))
	trial{text: text, ranks: 3, dir: dir}.must(t)
	trial{text: strings.Replace(text, "steps = 20", "steps = 30", 1), ranks: 2, dir: dir, restart: "latest"}.must(t)
	check := func(name, text string, froms ...int) {
		t.Helper()
		p, err := output.ProvenanceOf(text)
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
		c, err := checkpoint.Open(checkpoint.Path(filepath.Join(dir, output.CheckpointDir), step))
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		p, err := output.ProvenanceIn(c.Header)
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
		_, text, ok := strings.Cut(string(read(t, path)), "\n# "+output.ProvenanceMark)
		line, _, _ := strings.Cut(text, "\n")
		if check(path, line, 0); !ok {
			t.Errorf("%s has none", path)
		}
	}
	var m output.Memory
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
