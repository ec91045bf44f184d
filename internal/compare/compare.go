// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package compare

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"lbmsim/config"
	"lbmsim/io/checkpoint"
	"lbmsim/io/fields"
	"lbmsim/kernels"
	"lbmsim/model"
	"lbmsim/sim/output"
)

// Report lists the differences between files A and B.
type Report struct {
	A           string       `json:"a"`
	B           string       `json:"b"`
	Kind        Kind         `json:"kind"`  // of both; "" where they are of different kinds: then only the cases are compared
	Steps       [2]int       `json:"steps"` // of the outputs
	Case        []string     `json:"case"`  // a line for each key that differs
	Means       []string     `json:"means"` // a line for each mean of the computation that differs
	Differences []Difference `json:"parts"` // fields, columns, components of the state
	Note        string       `json:"note"`  // why numbers could not be compared; "" where they were
}

// Difference measures the difference of the numbers of a field, a column or a component.
type Difference struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Numbers int64   `json:"numbers"`
	Differ  int64   `json:"differ"`     // numbers that are not the same, bit for bit
	Lost    int64   `json:"not_finite"` // of these: pairs of which one is not finite, or both are in other ways
	L2      float64 `json:"l2"`         // ||a-b|| / ||b||, Euclidean norms
	Linf    float64 `json:"linf"`       // max |a-b| / max |b|
	Max     float64 `json:"max"`        // max |a-b|
	Where   string  `json:"where"`      // it is
	A       float64 `json:"a"`          // the numbers there
	B       float64 `json:"b"`
}

// MarshalJSON writes numbers that are not finite as text: JSON has none.
func (p Difference) MarshalJSON() ([]byte, error) {
	type plain Difference
	value := func(x float64) any {
		if finite(x) {
			return x
		}
		return fmt.Sprint(x)
	}
	return json.Marshal(struct {
		plain
		A any `json:"a"`
		B any `json:"b"`
	}{plain(p), value(p.A), value(p.B)})
}

// Same reports whether all numbers are the same, bit for bit, or the cases where both have no
// numbers.
func (r *Report) Same() bool { return r.Within(0) }

// Within reports whether no part differs by more than a share of its largest number (Linf).
func (r *Report) Within(tolerance float64) bool {
	if r.Note != "" {
		return false
	}
	if r.Kind == Case || r.Kind == "" {
		return len(r.Case) == 0
	}
	for _, p := range r.Differences {
		if p.Lost > 0 || p.Differ > 0 && !(p.Linf <= tolerance && tolerance > 0) {
			return false
		}
	}
	return true
}

// Files compares two files. Errors are of files that cannot be read.
func Files(a, b string) (*Report, error) {
	oa, err := Open(a)
	if err != nil {
		return nil, err
	}
	ob, err := Open(b)
	if err != nil {
		return nil, err
	}
	return oa.against(ob)
}

func (o *Output) against(b *Output) (*Report, error) {
	r := &Report{A: o.Path, B: b.Path, Steps: [2]int{o.Step, b.Step}}
	r.Case = config.Diff(o.Case, b.Case, func(key string) bool {
		// A case need not have the checksums of its files; outputs have them.
		return (o.Kind == Case || b.Kind == Case) && strings.HasSuffix(key, "sha256")
	})
	if o.Kind != Case && b.Kind != Case {
		r.Means = means(o.Provenance, b.Provenance)
	}
	if o.Kind != b.Kind {
		if o.Kind != Case && b.Kind != Case {
			r.Note = fmt.Sprintf("cannot compare the numbers of a file of kind %s with kind %s", o.Kind, b.Kind)
		}
		return r, nil
	}
	r.Kind = o.Kind
	var err error
	switch o.Kind {
	case Fields:
		err = r.fields()
	case Checkpoint:
		if err = r.states(r.A, r.B, ""); err == nil {
			err = r.levels()
		}
	case Picture:
		err = r.pictures()
	case Table:
		err = r.tables()
	}
	return r, err
}

// means compares the last legs, and their number.
func means(a, b output.Provenance) (list []string) {
	if len(a.Legs) == 0 || len(b.Legs) == 0 {
		return nil
	}
	la, lb := a.Legs[len(a.Legs)-1], b.Legs[len(b.Legs)-1]
	put := func(name string, va, vb any) {
		if ta, tb := fmt.Sprint(va), fmt.Sprint(vb); ta != tb {
			list = append(list, fmt.Sprintf("%s: %s / %s", name, ta, tb))
		}
	}
	put("lbmsim", la.Version, lb.Version)
	put("go", la.Go, lb.Go)
	put("libraries", strings.Join(la.Libraries, ", "), strings.Join(lb.Libraries, ", "))
	put("ranks", la.Ranks, lb.Ranks)
	put("cut", la.Cut, lb.Cut)
	put("devices", devices(la), devices(lb))
	put("legs (restarts with other settings)", len(a.Legs), len(b.Legs))
	return list
}

func devices(l output.Leg) string {
	var list []string
	for _, d := range l.Devices {
		list = append(list, fmt.Sprintf("%d x %s (%s)", d.Ranks, d.Model, strings.Join(d.Details, "; ")))
	}
	return strings.Join(list, ", ")
}

// tally accumulates the differences of two series of numbers.
type tally struct {
	Difference
	diff2, b2, largest float64
	at                 int64 // place of Max
}

func (t *tally) add(a, b float64) {
	t.Numbers++
	size := math.Abs(b)
	if finite(b) {
		t.b2 += b * b
		t.largest = max(t.largest, size)
	}
	if math.Float64bits(a) == math.Float64bits(b) {
		return
	}
	if t.Differ++; t.Differ == 1 {
		t.at, t.A, t.B = t.Numbers-1, a, b
	}
	if !finite(a) || !finite(b) {
		t.Lost++
		if t.Lost == 1 {
			t.at, t.A, t.B = t.Numbers-1, a, b
		}
		return
	}
	d := math.Abs(a - b)
	t.diff2 += d * d
	if d > t.Max {
		t.Max = d
		if t.Lost == 0 {
			t.at, t.A, t.B = t.Numbers-1, a, b
		}
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// difference returns the result of a tally; where names the place of a number.
func (t *tally) difference(where func(i int64) string) Difference {
	if t.Differ > 0 {
		t.L2, t.Linf = share(math.Sqrt(t.diff2), math.Sqrt(t.b2)), share(t.Max, t.largest)
		t.Where = where(t.at)
	}
	return t.Difference
}

// share returns the relative size of a difference, 1 if the reference is 0.
func share(d, of float64) float64 {
	switch {
	case d == 0:
		return 0
	case of == 0:
		return 1
	}
	return d / of
}

func (r *Report) fields() error {
	a, err := fields.OpenLevels(r.A)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := fields.OpenLevels(r.B)
	if err != nil {
		return err
	}
	defer b.Close()
	if !reflect.DeepEqual(a.Levels.Boxes, b.Levels.Boxes) {
		r.Note = fmt.Sprintf("the grids differ: %s / %s", a.Levels, b.Levels)
		return nil
	}
	var missing []string
	for i, f := range a.Fields {
		j := slices.IndexFunc(b.Fields, func(g fields.Field) bool { return g.Name == f.Name })
		if j < 0 {
			missing = append(missing, f.Name+" is in the first only")
			continue
		}
		if g := b.Fields[j]; g.Components != f.Components || g.Unit != f.Unit {
			missing = append(missing, fmt.Sprintf("%s has %d components in %q / %d in %q", f.Name, f.Components, f.Unit, g.Components, g.Unit))
			continue
		}
		t := tally{Difference: Difference{Name: f.Name, Unit: f.Unit}}
		for box := range a.Levels.Count() {
			pa, pb := make([]float64, a.BoxValues(box, i)), make([]float64, b.BoxValues(box, j))
			for k := range a.BoxPlanes(box) {
				if err := errors.Join(a.BoxPlane(box, i, k, pa), b.BoxPlane(box, j, k, pb)); err != nil {
					return err
				}
				for n := range pa {
					t.add(pa[n], pb[n])
				}
			}
		}
		r.Differences = append(r.Differences, t.difference(func(n int64) string {
			text := cellOf(a.Levels, n/int64(f.Components))
			if f.Components > 1 {
				text += fmt.Sprintf(", component %d", n%int64(f.Components))
			}
			return text
		}))
	}
	for _, g := range b.Fields {
		if !slices.ContainsFunc(a.Fields, func(f fields.Field) bool { return g.Name == f.Name }) {
			missing = append(missing, g.Name+" is in the second only")
		}
	}
	r.Note = strings.Join(missing, "; ")
	return nil
}

// cellOf names a cell by its number, counted through all boxes.
func cellOf(l fields.Levels, n int64) string {
	box := 0
	for ; ; box++ {
		level, k := l.Box(box)
		b := l.Boxes[level][k]
		if n >= int64(b.Cells()) {
			n -= int64(b.Cells())
			continue
		}
		text := cell(n, b.Size())
		if len(l.Boxes) > 1 {
			text += fmt.Sprintf(" of box %d of level %d", k, level)
		}
		return text
	}
}

func cell(n int64, size [3]int) string {
	x, y := int64(size[0]), int64(size[1])
	return fmt.Sprintf("cell (%d, %d, %d)", n%x, n/x%y, n/x/y)
}

// levels compares the files of patches beside checkpoints of refined grids.
func (r *Report) levels() error {
	a, err := output.PatchFiles(r.A)
	if err != nil {
		return err
	}
	b, err := output.PatchFiles(r.B)
	if err != nil {
		return err
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch {
		case r.Note != "":
		case a[name] == "":
			r.Note = fmt.Sprintf("%s of the refined grid is beside %s alone", name, r.B)
		case b[name] == "":
			r.Note = fmt.Sprintf("%s of the refined grid is beside %s alone", name, r.A)
		default:
			if err := r.states(a[name], b[name], name+" "); err != nil {
				return err
			}
		}
	}
	return nil
}

// states compares the numbers of cells of two files, whose names begin with in; padding of rows is left out.
func (r *Report) states(fileA, fileB, in string) error {
	a, err := checkpoint.Open(fileA)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := checkpoint.Open(fileB)
	if err != nil {
		return err
	}
	defer b.Close()
	ha, hb := a.Header, b.Header
	if ha.Spec != hb.Spec || ha.N != hb.N || ha.Planes != hb.Planes || ha.PlaneBytes() != hb.PlaneBytes() {
		r.Note = fmt.Sprintf("the states have different cells or kernels: %s, %v cells / %s, %v cells", model.SpecInWords(ha.Spec), ha.N, model.SpecInWords(hb.Spec), hb.N)
		return nil
	}
	// The state's values of a row are followed by eddy viscosities, in a separate number type, where the viscosity law keeps them.
	values, eddies := ha.Components, 0
	for i := range model.ViscosityLaws {
		if law := model.ViscosityLaw(i); law.LooksAround() && slices.Contains(strings.Fields(ha.Spec), law.String()) {
			eddies = max(4, ha.Bytes)
			values -= eddies / ha.Bytes
		}
	}
	parts := make([]tally, values, values+1)
	for c := range parts {
		parts[c].Name = fmt.Sprintf("%sstate %d", in, c)
	}
	if eddies > 0 {
		parts = append(parts, tally{})
		parts[values].Name = in + "eddies"
	}
	pa, pb := make([]byte, ha.PlaneBytes()), make([]byte, hb.PlaneBytes())
	for k := range ha.Planes {
		if err := errors.Join(a.ReadPlanes(k, k+1, pa), b.ReadPlanes(k, k+1, pb)); err != nil {
			return err
		}
		for row := range ha.Rows {
			for c := range parts {
				at, size := (row*ha.Components+c)*ha.Pitch*ha.Bytes, ha.Bytes
				if c == values {
					size = eddies
				}
				for x := range ha.N[0] {
					parts[c].add(number(pa[at+x*size:], size), number(pb[at+x*size:], size))
				}
			}
		}
	}
	for c := range parts {
		r.Differences = append(r.Differences, parts[c].difference(func(n int64) string { return cell(n, ha.N) }))
	}
	return nil
}

// number returns the first number of b, whose numbers have 2, 4 or 8 bytes.
func number(b []byte, size int) float64 {
	switch size {
	case 2:
		return float64(kernels.HalfNumber(binary.NativeEndian.Uint16(b)))
	case 4:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.NativeEndian.Uint64(b))
}

func (r *Report) pictures() error {
	a, err := decode(r.A)
	if err != nil {
		return err
	}
	b, err := decode(r.B)
	if err != nil {
		return err
	}
	if a.Bounds() != b.Bounds() {
		r.Note = fmt.Sprintf("the pictures differ in size: %v / %v", a.Bounds().Size(), b.Bounds().Size())
		return nil
	}
	t := tally{Difference: Difference{Name: "pixels"}}
	width := int64(a.Bounds().Dx())
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, v := range [3][2]uint32{{ar, br}, {ag, bg}, {ab, bb}} {
				t.add(float64(v[0]), float64(v[1]))
			}
		}
	}
	r.Differences = []Difference{t.difference(func(n int64) string { return fmt.Sprintf("pixel (%d, %d)", n/3%width, n/3/width) })}
	return nil
}

const mostPixels = 1 << 26

func decode(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := png.DecodeConfig(f)
	if err == nil && int64(size.Width)*int64(size.Height) > mostPixels {
		err = fmt.Errorf("%d x %d pixels are too many to compare", size.Width, size.Height)
	}
	var p image.Image
	if err == nil {
		if _, err = f.Seek(0, io.SeekStart); err == nil {
			p, err = png.Decode(f)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// tables compares the rows that both have.
func (r *Report) tables() error {
	a, err := readTable(r.A)
	if err != nil {
		return err
	}
	b, err := readTable(r.B)
	if err != nil {
		return err
	}
	if !slices.Equal(a.columns, b.columns) {
		r.Note = fmt.Sprintf("the columns differ: %s / %s", strings.Join(a.columns, ","), strings.Join(b.columns, ","))
		return nil
	}
	n, along := min(len(a.rows), len(b.rows)), slices.IndexFunc(a.columns, func(name string) bool { return name == "distance" || strings.HasPrefix(name, "distance (") })
	if len(a.rows) != len(b.rows) {
		r.Note = fmt.Sprintf("%d / %d rows; the first %d were compared", len(a.rows), len(b.rows), n)
	}
	for c, name := range a.columns {
		t := tally{Difference: Difference{Name: name}}
		for k := range n {
			t.add(a.rows[k][c], b.rows[k][c])
		}
		r.Differences = append(r.Differences, t.difference(func(k int64) string {
			text := fmt.Sprintf("row %d, %s %g", k+1, a.columns[0], a.rows[k][0])
			if along >= 0 { // of a line, which has many rows of a step
				text += fmt.Sprintf(", %s %g", a.columns[along], a.rows[k][along])
			}
			return text
		}))
	}
	return nil
}

// Folders compares the outputs of two runs, file by file; only lists files that only one
// of the folders has. The error is of files that cannot be compared; all others are.
func Folders(a, b string) (reports []*Report, only []string, err error) {
	la, err := outputs(a)
	if err != nil {
		return nil, nil, err
	}
	lb, err := outputs(b)
	if err != nil {
		return nil, nil, err
	}
	var broken []error
	for _, name := range la {
		if !slices.Contains(lb, name) {
			only = append(only, filepath.Join(a, name))
			continue
		}
		r, err := Files(filepath.Join(a, name), filepath.Join(b, name))
		if err != nil {
			broken = append(broken, err)
			continue
		}
		reports = append(reports, r)
	}
	for _, name := range lb {
		if !slices.Contains(la, name) {
			only = append(only, filepath.Join(b, name))
		}
	}
	if len(la)+len(lb) == 0 {
		return nil, nil, fmt.Errorf("there are no outputs in %s and %s", a, b)
	}
	return reports, only, errors.Join(broken...)
}
