// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"lbmsim/internal/allowance"
	"lbmsim/io/picture"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

// resident returns the resident memory of this process in pages, after garbage collection.
func resident(t *testing.T) (pages int) {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var all int
	if _, err := fmt.Fscan(bytes.NewReader(text), &all, &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

// visit opens the page as a browser does, reads the first events, waits for a picture, and disconnects.
func visit(s *Server, at, wish string) error {
	leaves, leave := context.WithCancel(context.Background())
	defer leave()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/", "/main.js", "/uplot.js", "/api/runs", "/api/0/about", "/api/0/history", "/api/0/events?line=0", "/api/0/" + wish} {
		got, err := client.Do(s.request(leaves, "GET", at+path))
		if err != nil {
			return err
		}
		defer got.Body.Close()
		if got.Header.Get("Content-Type") == "text/event-stream" { // it stays open until the viewer disconnects
			_, err = io.ReadFull(got.Body, make([]byte, 100))
		} else {
			_, err = io.Copy(io.Discard, got.Body)
		}
		if err != nil || got.StatusCode != 200 {
			return fmt.Errorf("%s: %d %w", path, got.StatusCode, err)
		}
	}
	return nil
}

// Viewers that connect and disconnect leak no memory: after 320 of them, some with slices and some with views, the resident
// memory gets within 5 % of what it was after the first 64.
func TestMemoryOfViewers(t *testing.T) {
	p, all := begun(t)
	p.caseFile = caseOf(t, spaceText)
	for k := range p.queue.accounts { // a slow machine would overdraw them
		p.queue.accounts[k] = allowance.New(1, time.Hour, time.Now())
	}
	s, at := served(t, false, p)
	end := make(chan struct{})
	var run, viewers sync.WaitGroup
	run.Add(1)
	go func() { // the run
		defer run.Done()
		v := p.Viewer()
		for step := 0; ; step++ {
			all.Progress(sim.Progress{Step: step, Last: 1 << 30, MLUPS: 100}) // the next events detect disconnected viewers
			time.Sleep(time.Millisecond)
			select {
			case <-end:
				return
			default:
			}
			switch of := v.Wanted(always).(type) {
			case output.Slice:
				v.Show(of, picture.Picture{Quantity: "speed", W: 24, H: 16, Values: make([]float64, 24*16), Spacing: 1})
			case output.Orbit:
				v.Show(of, picture.View{Quantity: "speed", Look: blank})
			}
		}
	}()
	visits := func(n int) {
		for k := range n {
			viewers.Add(1)
			go func() {
				defer viewers.Done()
				wish := "slice?field=speed&axis=z&at=3"
				if k%2 == 0 {
					wish = fmt.Sprintf("view?surface=speed&colour=pressure&value=1&turn=%d&tilt=0&zoom=0&moving=1", k%4)
				}
				if err := visit(s, at, wish); err != nil {
					t.Error(err)
				}
			}()
			if k%10 == 9 {
				viewers.Wait()
			}
		}
		viewers.Wait()
	}
	within := func(limit time.Duration, met func() bool) bool {
		for start := time.Now(); time.Since(start) < limit; time.Sleep(10 * time.Millisecond) {
			if met() {
				return true
			}
		}
		return false
	}
	rest := func() { // until the server and the queue have noticed every disconnect
		ok := within(time.Minute, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.viewers == 0 && p.queue.waiting() == 0
		})
		if !ok {
			t.Fatalf("%d viewers and %d wishes are left", s.viewers, p.queue.waiting())
		}
	}
	visits(64)
	rest()
	before := resident(t)
	visits(320)
	rest()
	after := 0
	ok := within(time.Minute, func() bool { // the system reclaims memory with a delay
		after = resident(t)
		return float64(after) <= 1.05*float64(before)
	})
	close(end)
	run.Wait()
	t.Logf("%d pages, then %d", before, after)
	if !ok {
		t.Errorf("%d pages are resident, %d before 320 viewers came", after, before)
	}
}
