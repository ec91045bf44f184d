// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package decomp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// With the boxes suggested by misfits a hierarchy exists, whatever the boxes were.
func TestInsteadFits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	count := map[Reason]int{}
	for dims := 2; dims <= 3; dims++ {
		n := [3]int{16, 12, 8}
		if dims == 2 {
			n[2] = 1
		}
		d := domain(t, n, [3]bool{true, false, dims == 3}, dims)
		for range 300 {
			var boxes []Refinement
			for range 1 + r.IntN(3) {
				b := Refinement{Name: "refine.a", Level: 1 + r.IntN(4), To: [3]float64{1, 1, 1}}
				for a := range dims {
					n := float64(d.Global[a])
					b.From[a] = n * (1.4*r.Float64() - 0.2)
					b.To[a] = b.From[a] + n*0.6*r.Float64() + 0.1
				}
				boxes = append(boxes, b)
			}
			for tries := 0; ; tries++ {
				_, err := NewHierarchy(d, boxes)
				var wrong Misfits
				if !errors.As(err, &wrong) {
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				if tries == dims+1 { // a box crosses the end of one axis, in space of two, is outside, and is loose: each is a misfit after the other
					t.Fatalf("%v: %v", boxes, err)
				}
				for _, m := range wrong {
					boxes = instead(boxes, m)
					count[m.Why]++
				}
			}
		}
	}
	if count[BoxOutside] < 20 || count[OverSeam] < 100 || count[LooseBox] < 100 {
		t.Errorf("suggestions %v", count)
	}
}

// instead follows the advice of a misfit; boxes outside the domain are removed.
func instead(boxes []Refinement, m *Misfit) (list []Refinement) {
	for _, b := range boxes {
		if b != m.Box || m.Why == LooseBox {
			list = append(list, b)
		}
	}
	return append(list, m.Instead...)
}

// All boxes that do not fit are named in the error.
func TestAllMisfitsAreNamed(t *testing.T) {
	d := domain(t, [3]int{16, 16, 1}, [3]bool{}, 2)
	_, err := NewHierarchy(d, []Refinement{
		{"refine.a", 1, [3]float64{0, 3, 0}, [3]float64{0, 8, 1}},
		{"refine.b", 2, [3]float64{3, 3, 0}, [3]float64{8, 8, 1}},
		{"refine.c", 1, [3]float64{0, 30, 0}, [3]float64{1, 38, 1}},
	})
	if list := (Misfits{}); !errors.As(err, &list) || len(list) != 2 || !strings.HasPrefix(err.Error(), "refine.a: ") || !strings.Contains(err.Error(), "\nrefine.c: ") {
		t.Errorf("%v", err)
	}
	_, err = NewHierarchy(d, []Refinement{{"refine.b", 3, [3]float64{3, 3, 0}, [3]float64{8, 8, 1}}, {"refine.d", 2, [3]float64{9, 9, 0}, [3]float64{10, 10, 1}}})
	list := Misfits{}
	if !errors.As(err, &list) || len(list) != 2 || len(list[0].Instead) != 1 || len(list[1].Instead) != 2 {
		t.Fatalf("%v", err)
	}
	// Two cells of level 1 around the box, and two of level 0 around these.
	if m := list[0]; m.Instead[0] != (Refinement{"refine.d", 1, [3]float64{8, 8, 0}, [3]float64{11, 11, 1}}) {
		t.Errorf("%+v", m.Instead)
	}
}
