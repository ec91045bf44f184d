// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"lbmsim/internal/scaling"
)

// easy numbers: a step of a 100 x 100 x 10 box takes 100 + 10 us alone.
var easy = Machine{
	Rate: 1e9, Launch: 10e-6, Network: 1e9, NetStart: 7e-6, Bus: 4e9, HostStart: 5e-6,
	Peer: 100e9, PeerStart: 1e-6, Wait: 20e-6, Node: 2,
}

// Slabs of four ranks on two nodes, counted by hand: rows of 100 cells take 128 values.
func TestStepByHand(t *testing.T) {
	p, err := cut([3]int{100, 100, 40}, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	const plane = 100 * 128 * 10 * 4
	l := easy.loadOf(p, 1)
	if l.Edges != 20000 || l.Bulk != 80000 || l.Messages != 2 || l.Runs != 2 || l.Bytes != 2*plane || l.Across != 1 || l.AcrossBytes != plane {
		t.Fatalf("%+v", l)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("needs", easy.needs(l), plane/80e-6)
	// The slower of two ways at once, behind what passes the bus; 80 us of it are hidden.
	for _, c := range []struct {
		way  Way
		want float64
	}{
		{Way{"host", "host"}, 4*plane/4e9 + 7e-6 + plane/1e9},
		{Way{"gpu", "gpu"}, 7e-6 + plane/1e9},
		{Way{"peer", "gpu"}, 7e-6 + plane/1e9},
		{Way{"peer", "host"}, 2*plane/4e9 + 7e-6 + plane/1e9},
	} {
		step, exposed := easy.step(l, c.way)
		near(c.way.String(), exposed, c.want-80e-6)
		near(c.way.String(), step, 10e-6+100e-6+exposed+20e-6)
	}
	// Within a node all is hidden, and no rank waits for the host of a peer.
	inside := l
	inside.Across, inside.AcrossBytes = 0, 0
	if step, exposed := easy.step(inside, Way{"peer", "gpu"}); exposed != 0 || math.Abs(step-110e-6) > 1e-12 {
		t.Errorf("peer: %g, %g exposed", step, exposed)
	}
	f := easy.forecast(p, Way{"peer", "gpu"})
	near("weak", f.Weak, 110e-6/f.Step)
	near("strong", f.Strong, 410e-6/4/f.Step)
	if f.Bytes != 2*plane || f.AcrossBytes != plane {
		t.Errorf("the heaviest load is %+v", f.Load)
	}
}

// Without any cost of messages efficiency is 1; more of any cost is never faster.
func TestLimits(t *testing.T) {
	p, err := cut([3]int{256, 256, 256}, 16, 4)
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	free := Machine{Rate: 1e9, Network: inf, Bus: inf, Peer: inf, Node: 8}
	for _, w := range ways {
		if f := free.forecast(p, w); math.Abs(f.Weak-1) > 1e-12 || math.Abs(f.Strong-1) > 1e-12 {
			t.Errorf("%s with free messages: %+v", w, f)
		}
		best := easy.forecast(p, w)
		for _, worse := range []func(*Machine){
			func(m *Machine) { m.Network /= 2 }, func(m *Machine) { m.Bus /= 2 }, func(m *Machine) { m.HostStart *= 2 }, func(m *Machine) { m.Peer /= 2 },
			func(m *Machine) { m.NetStart *= 2 }, func(m *Machine) { m.Wait *= 2 }, func(m *Machine) { m.Node /= 2 },
		} {
			m := easy
			if worse(&m); m.forecast(p, w).Weak > best.Weak {
				t.Errorf("%s is faster with a slower machine %+v", w, m)
			}
		}
	}
}

// The page has the command's output.
func TestPageHoldsTheTables(t *testing.T) {
	const page = "../../docs/scaling.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- tables: go run ./tools/scaling -->\n", "<!-- end of tables -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the tables", page)
	}
	var b bytes.Buffer
	if err := tables(&b, known); err != nil {
		t.Fatal(err)
	}
	if old == b.String() {
		return
	}
	if os.Getenv("LBMSIM_UPDATE") != "1" {
		t.Fatalf("%s has other tables than the command prints; LBMSIM_UPDATE=1 writes them", page)
	}
	if err := os.WriteFile(page, []byte(head+begin+b.String()+end+tail), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for _, r := range []scaling.Row{
		{Part: "scaling", Kind: scaling.Weak, Ranks: 2, Size: [3]int{100, 100, 20}, Parts: [3]int{1, 1, 2}, Transport: "peer", Figures: scaling.Figures{Efficiency: 0.9, EffLow: 0.8, EffHigh: 0.95, Bytes: 100 * 128 * 40}},
		{Part: "scaling", Kind: scaling.Weak, Ranks: 2, Size: [3]int{100, 100, 20}, Transport: "gpu", Skipped: "no such library"},
		{Part: "scaling", Kind: scaling.Weak, Ranks: 1, Size: [3]int{100, 100, 10}, Figures: scaling.Figures{Efficiency: 1}},
	} {
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := compare(&out, easy, &in); err != nil {
		t.Fatal(err)
	}
	if want := "| weak | 100 x 100 x 20 | 2 | 1 x 2 | peer | 0.512 MB, model 0.512 | 90.0 % (80.0 - 95.0) | 100.0 % |\n"; !strings.HasSuffix(out.String(), want) || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%s", out.String())
	}
	if err := compare(&out, easy, strings.NewReader("")); err == nil {
		t.Error("nothing measured is no error")
	}
}
