// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lbmsim/config"
	"lbmsim/decomp"
	"lbmsim/device"
	"lbmsim/internal/finding"
	"lbmsim/io/picture"
	"lbmsim/io/status"
	"lbmsim/model"
	"lbmsim/report"
	"lbmsim/sim"
	"lbmsim/sim/output"
)

const boxText = `
title = "A box"
[domain]
cells = [24, 16]
[fluid]
viscosity = 0.02
[boundary.walls]
type = "wall"
faces = ["x-", "x+", "y-"]
[boundary.lid]
type = "moving_wall"
velocity = [0.05, 0]
faces = ["y+"]
[run]
steps = 2000000000
[output.picture]
every = 1000000000
at_end = false
[output.series.energy]
every = 500
[output.averages]
every = 1000000000
at_end = false
[checkpoint]
every = 1000000000
`

// caseOf returns a case with its own folder.
func caseOf(t *testing.T, text string) *config.Case {
	t.Helper()
	c, err := config.Load("box.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c.OutputDir = t.TempDir()
	return c
}

// begun returns a started run, as reported by its process, and its reporters.
func begun(t *testing.T) (*Process, report.Many) {
	t.Helper()
	c := caseOf(t, boxText)
	keeper := report.NewStatus(func(finding.Finding) {})
	p := NewProcess(keeper.State)
	all := report.Many{keeper, p}
	all.Start(sim.Start{Case: c, Version: "test", Ranks: []sim.RankInfo{{Host: "here", Hi: c.Cells, Device: device.Info{Name: "cpu", Model: "a CPU"}}}, Output: c.OutputDir})
	return p, all
}

// served serves runs and returns the URL before /api.
func served(t *testing.T, readOnly bool, runs ...Run) (*Server, string) {
	t.Helper()
	s, err := Serve(Options{Address: Local, ReadOnly: readOnly, Runs: func() []Run { return runs }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, fmt.Sprintf("http://127.0.0.1:%d", s.web.Port())
}

// request returns a request with the token of a server.
func (s *Server) request(ctx context.Context, method, url string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	return r
}

// ask sends a request with the token of a server.
func ask(t *testing.T, s *Server, method, url string) (code int, text string) {
	t.Helper()
	got, err := http.DefaultClient.Do(s.request(context.Background(), method, url))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(b)
}

// Everything but the page itself needs the token.
func TestToken(t *testing.T) {
	p, _ := begun(t)
	s, at := served(t, false, p)
	for _, path := range []string{"/", "/main.js", "/style.css", "/uplot.license.txt", "/icon.svg"} {
		if got, err := http.Get(at + path); err != nil || got.StatusCode != 200 {
			t.Errorf("%s: %v %v", path, got, err)
		}
	}
	for _, path := range []string{"runs", "0/about", "0/events", "0/history", "0/rows?table=series_energy.csv&from=0", "0/slice", "0/view", "0/picture", "0/order/stop", "1/about", ""} {
		for _, token := range []string{"", "Bearer ", "Bearer " + s.token[1:], "Bearer " + strings.Repeat("0", 32), s.token[:31], s.token, "Basic " + s.token} {
			for _, method := range []string{"GET", "POST"} {
				r, err := http.NewRequest(method, at+"/api/"+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", token)
				got, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				got.Body.Close()
				if got.StatusCode != 401 {
					t.Errorf("%s %s with %q: %d", method, path, token, got.StatusCode)
				}
			}
		}
	}
	if o := p.Take(); o != (sim.Order{}) {
		t.Errorf("an order without a token: %+v", o)
	}
	if other, _ := served(t, false, p); other.token == s.token || len(s.token) != 32 {
		t.Errorf("tokens %q and %q", s.token, other.token)
	}
}

// Orders reach the run once, only by POST, and never from a read-only page.
func TestOrdersOfThePage(t *testing.T) {
	p, all := begun(t)
	s, at := served(t, false, p)
	watching, there := served(t, true, p)
	for _, c := range []struct {
		server      *Server
		method, url string
		code        int
		want        sim.Order
	}{
		{s, "GET", at + "/api/0/order/stop", 405, sim.Order{}},
		{s, "POST", at + "/api/0/order/destroy", 404, sim.Order{}},
		{s, "POST", at + "/api/7/order/stop", 404, sim.Order{}},
		{s, "POST", at + "/api/0/order/checkpoint", 200, sim.Order{Save: true}},
		{s, "POST", at + "/api/0/order/picture", 200, sim.Order{Draw: true}},
		{s, "POST", at + "/api/0/order/averages", 200, sim.Order{Mean: true}},
		{s, "POST", at + "/api/0/order/stop", 200, sim.Order{Stop: true}},
		{watching, "POST", there + "/api/0/order/stop", 403, sim.Order{}},
	} {
		if code, text := ask(t, c.server, c.method, c.url); code != c.code {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.url, code, text, c.code)
		}
		if got, again := p.Take(), p.Take(); got != c.want || again != (sim.Order{}) {
			t.Errorf("%s %s: %+v, then %+v, want %+v once", c.method, c.url, got, again, c.want)
		}
	}
	if _, text := ask(t, watching, "GET", there+"/api/0/about"); !strings.Contains(text, `"orders":[]`) {
		t.Errorf("a page that may only watch offers orders: %s", text)
	}
	all.Finish(sim.Summary{Case: p.caseFile, Reason: "stop.now", Last: 7})
	if code, text := ask(t, s, "POST", at+"/api/0/order/stop"); code != 409 || !strings.Contains(text, "has ended") {
		t.Errorf("after the end: %d %s", code, text)
	}
}

// No path leads outside the page or the folder of the run.
func TestPathsStayInside(t *testing.T) {
	p, _ := begun(t)
	outside := filepath.Join(filepath.Dir(p.Folder()), "force_secret.csv")
	if err := os.WriteFile(outside, []byte("step,time,a\n1,1,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.Folder(), "force_link.csv")); err != nil {
		t.Fatal(err)
	}
	s, at := served(t, false, p)
	for _, path := range []string{
		"/../server.go", "/..%2fserver.go", "/page/index.html", "//etc/passwd", "/index.html/", "/.",
		"/api/0/rows?from=0&table=../force_secret.csv", "/api/0/rows?from=0&table=force_link.csv", "/api/0/rows?from=0&table=" + url.QueryEscape(outside),
		"/api/0/picture?name=../x&step=1", "/api/0/picture?name=&step=0", "/api/-1/about", "/api/0x0/about", "/api/0/../../etc/passwd",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nAuthorization: Bearer %s\r\n\r\n", path, s.token)
		text, _ := io.ReadAll(c)
		c.Close()
		if !strings.HasPrefix(string(text), "HTTP/1.1 4") {
			t.Errorf("%s: %.60q", path, text)
		}
	}
}

// follow reads events until the end, and returns the number of each kind.
func follow(s *Server, at string) (map[string]int, error) {
	r := s.request(context.Background(), "GET", at+"/api/0/events?line=0")
	got, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	if got.StatusCode != 200 {
		return nil, fmt.Errorf("code %d", got.StatusCode)
	}
	counts := map[string]int{}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			counts[kind]++
		}
	}
	return counts, nil
}

// The run waits for no client: reports take as long with 50 viewers, a thousand garbage requests, clients that do not read
// and dead connections as without any; none of these leaks memory or goroutines.
func TestRunWaitsForNoClient(t *testing.T) {
	p, all := begun(t)
	progress := func(step int) (longest time.Duration) {
		for range 200 {
			step++
			began := time.Now()
			all.Progress(sim.Progress{Step: step, Last: 1 << 30, MLUPS: 100, Elapsed: time.Second})
			longest = max(longest, time.Since(began))
		}
		return longest
	}
	alone := progress(0)
	goroutines := runtime.NumGoroutine()
	s, err := Serve(Options{Address: Local, Runs: func() []Run { return []Run{p} }})
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", s.web.Port())
	var viewers sync.WaitGroup
	for k := range 50 {
		viewers.Add(1)
		go func() {
			defer viewers.Done()
			if n, err := follow(s, at); err != nil || n["state"] < 2 || n["log"] == 0 || n["files"] == 0 || n["end"] != 1 {
				t.Errorf("viewer %d had %v (%v)", k, n, err)
			}
		}()
	}
	for k := range 10 { // connections that die at once, and clients that do not read
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /api/0/events HTTP/1.1\r\nAuthorization: Bearer %s\r\n\r\n", s.token)
		if k%2 == 0 {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		} else {
			defer c.Close()
		}
	}
	from := rand.New(rand.NewSource(2))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 1000 {
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, from.Intn(200))
		from.Read(b)
		_, _ = c.Write(append([]byte([]string{"", "GET /api/0/rows?table=", "POST /api/0/order/"}[from.Intn(3)]), b...))
		c.Close()
	}
	longest := progress(200)
	time.Sleep(2 * eventsEvery)
	if limit := 100*time.Millisecond + 10*alone; longest > limit { // a busy machine may deschedule a thread for part of it
		t.Errorf("the run waited %v for a report, %v without viewers", longest, alone)
	}
	s.Close()
	viewers.Wait()
	for range 100 {
		if runtime.NumGoroutine() <= goroutines+2 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, %d before the server", n, goroutines)
	}
	http.DefaultClient.CloseIdleConnections()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes of memory are left", grown)
	}
	if o := p.Take(); o != (sim.Order{}) {
		t.Errorf("garbage became an order: %+v", o)
	}
}

// Without a viewer the page costs the run less than 0.1 %: of the tenth of a second between two reports, 100 microseconds.
func TestCostWithoutViewers(t *testing.T) {
	p, _ := begun(t)
	served(t, false, p)
	v := p.Viewer()
	step := 0
	b := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			step++
			p.Progress(sim.Progress{Step: step, Last: 1 << 30, MLUPS: 100, Elapsed: time.Second})
			if v.Wanted(always) != nil || p.Take() != (sim.Order{}) {
				b.Fatal("something is wanted without a viewer")
			}
		}
	})
	t.Logf("%v per report, %d bytes", time.Duration(b.NsPerOp()), b.AllocedBytesPerOp())
	if b.NsPerOp() > 100_000 {
		t.Errorf("%v per report", time.Duration(b.NsPerOp()))
	}
}

// Viewers beyond the limit get an error.
func TestTooManyViewers(t *testing.T) {
	p, _ := begun(t)
	s, at := served(t, false, p)
	s.viewers = mostViewers
	if code, text := ask(t, s, "GET", at+"/api/0/events"); code != 503 || !strings.Contains(text, "watching already") {
		t.Errorf("%d %s", code, text)
	}
}

// Viewers that disconnect before the first byte occupy no slot.
func TestViewersThatGo(t *testing.T) {
	p, _ := begun(t)
	s, at := served(t, false, p)
	s.mu.Lock() // requests wait here until their clients have disconnected
	for range mostViewers {
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /api/0/events HTTP/1.1\r\nAuthorization: Bearer %s\r\n\r\n", s.token)
		defer c.Close()
		time.AfterFunc(300*time.Millisecond, func() {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		})
	}
	time.Sleep(600 * time.Millisecond)
	s.mu.Unlock()
	viewers := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.viewers
	}
	time.Sleep(100 * time.Millisecond)
	for start := time.Now(); viewers() > 0 && time.Since(start) < 10*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	if n := viewers(); n != 0 {
		t.Errorf("%d viewers are counted, all have gone", n)
	}
}

// The last list of files has the last rows, and the page may read them.
func TestLastRows(t *testing.T) {
	p, _ := begun(t)
	s, at := served(t, false, p)
	path := filepath.Join(p.Folder(), "series_energy.csv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	write("step,time,a\n1,1,1\n")
	got, err := http.DefaultClient.Do(s.request(context.Background(), "GET", at+"/api/0/events"))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	listed := func(size int) bool {
		for lines.Scan() {
			if strings.Contains(lines.Text(), fmt.Sprintf(`"size":%d,`, size)) {
				return true
			}
		}
		return false
	}
	if !listed(18) {
		t.Fatal("the table is not listed")
	}
	write("step,time,a\n1,1,1\n2,2,2\n") // within the second for which the list holds
	go s.Close()
	if !listed(24) {
		t.Fatal("the last list of files has not the last rows")
	}
	if code, text := ask(t, s, "GET", at+"/api/0/rows?table=series_energy.csv&from=18"); code != 200 || !strings.Contains(text, "2,2,2") {
		t.Errorf("%d %s", code, text)
	}
}

// A painter's error is returned to the viewer and does not end the run.
func TestErrorOfThePainter(t *testing.T) {
	if _, err := painted(func() (picture.Bare, error) { panic("a trial") }); err == nil || !strings.Contains(err.Error(), "a trial") {
		t.Errorf("%v", err)
	}
}

// A slice without waiting viewers is not requested from the run; one with several is painted once for all; the end of the
// run releases them.
func TestSlicesForViewers(t *testing.T) {
	p, all := begun(t)
	s, at := served(t, false, p)
	v := p.Viewer()
	if v.Wanted(always) != nil {
		t.Error("a slice is wanted without a viewer")
	}
	for query, want := range map[string]string{
		"field=speed&axis=z&at=x": "at = ", "field=nonsense&axis=z&at=0": "no field", "field=speed&axis=x&at=0": "", "field=speed&axis=z&at=1": "",
		"field=temperature&axis=z&at=0": "temperature", "field=wall_distance&axis=z&at=0": "wall_distance", "field=speed&axis=z&at=0&component=x": "", "field=velocity&axis=z&at=0&component=w": "component",
	} {
		if got, text := ask(t, s, "GET", at+"/api/0/slice?"+query); got != 400 || !strings.Contains(text, want) || text == "\n" {
			t.Errorf("%s: %d %q, want 400 and %q", query, got, text, want)
		}
	}
	type answer struct {
		code int
		text string
	}
	answers := make(chan answer, 3)
	for range 3 {
		go func() {
			code, text := ask(t, s, "GET", at+"/api/0/slice?field=vorticity&component=z&axis=z&at=0")
			answers <- answer{code, text}
		}()
	}
	for p.queue.waiting() < 3 {
		time.Sleep(time.Millisecond)
	}
	slice, is := v.Wanted(always).(output.Slice)
	if !is || slice.Field.Name != "vorticity" || slice.Component != 2 {
		t.Fatalf("%+v", slice)
	}
	v.Show(slice, picture.Picture{Quantity: "vorticity z", W: 3, H: 2, Values: []float64{1, 2, 3, 4, 5, 6}, Spacing: 1, Step: 77})
	for range 3 {
		var shown picture.Bare
		if a := <-answers; a.code != 200 || json.Unmarshal([]byte(a.text), &shown) != nil || shown.Step != 77 || len(shown.PNG) == 0 {
			t.Errorf("%d %.200s", a.code, a.text)
		}
	}
	go func() {
		code, text := ask(t, s, "GET", at+"/api/0/slice?field=speed&axis=z&at=0")
		answers <- answer{code, text}
	}()
	for p.queue.waiting() < 1 {
		time.Sleep(time.Millisecond)
	}
	all.Fail(errors.New("a trial"))
	if a := <-answers; a.code != 409 || !strings.Contains(a.text, "has ended") {
		t.Errorf("%d %s", a.code, a.text)
	}
	if v.Wanted(always) != nil {
		t.Error("a slice is wanted that no one waits for")
	}
}

// A picture whose viewer aborts the request is neither gathered nor painted.
func TestViewersThatLeave(t *testing.T) {
	p, _ := begun(t)
	p.caseFile = caseOf(t, spaceText)
	s, at := served(t, false, p)
	v := p.Viewer()
	for _, wanted := range []bool{false, true} { // whether the run asks before the viewer disconnects
		ctx, leave := context.WithCancel(context.Background())
		r := s.request(ctx, "GET", at+"/api/0/view?surface=speed&colour=pressure&turn=0&tilt=0&zoom=0")
		left := make(chan error)
		go func() {
			_, err := http.DefaultClient.Do(r)
			left <- err
		}()
		for p.queue.waiting() < 1 {
			time.Sleep(time.Millisecond)
		}
		var of output.Request
		if wanted {
			if of = v.Wanted(always); of == nil {
				t.Fatal("the view is not wanted")
			}
		}
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Fatalf("%v", err)
		}
		for start := time.Now(); p.queue.waiting() > 0; time.Sleep(time.Millisecond) {
			if time.Since(start) > patience/2 {
				t.Fatal("the viewer that has left still waits")
			}
		}
		if wanted {
			v.Show(of, picture.View{Look: func() ([]float64, picture.Drawing, error) { panic("painted for no viewer") }})
			p.queue.mu.Lock()
			painting := p.queue.painting
			p.queue.mu.Unlock()
			if painting != [output.Budgets]bool{} {
				t.Error("a view is painted for no viewer")
			}
		}
		if of := v.Wanted(always); of != nil {
			t.Errorf("%+v is wanted by no viewer", of)
		}
	}
}

// always is an account with time left.
func always(output.Budget) bool { return true }

const spaceText = `
[domain]
cells = [40, 24, 20]
periodic = ["x", "y", "z"]
[fluid]
viscosity = 0.02
[body.ball]
shape = "sphere"
centre = [14, 12, 10]
radius = 4
[initial]
velocity = ["0.04 + 0.02*sin(2*pi*y/Ly)", "0.03*sin(2*pi*z/Lz)", "0.02*cos(2*pi*x/Lx)"]
[force]
acceleration = [1e-6, 0, 0]
[run]
steps = 2000000000
`

// Views are refused with a message, wait like slices, and do not block slices once the time for views is used up.
func TestViewsForViewers(t *testing.T) {
	p, all := begun(t)
	s, at := served(t, false, p)
	const good = "surface=speed&colour=pressure&value=0.5&turn=10&tilt=-20&zoom=1&moving=1"
	if code, text := ask(t, s, "GET", at+"/api/0/view?"+good); code != 400 || !strings.Contains(text, "2D") {
		t.Errorf("a view in 2D: %d %s", code, text)
	}
	if _, text := ask(t, s, "GET", at+"/api/0/about"); strings.Contains(text, `"view"`) {
		t.Errorf("a case in 2D offers views: %s", text)
	}
	p.caseFile = caseOf(t, spaceText)
	if _, text := ask(t, s, "GET", at+"/api/0/about"); !strings.Contains(text, `"view":{"surface":"q_criterion","colour":"speed"}`) {
		t.Errorf("%s", text)
	}
	for _, c := range [][3]string{
		{"surface=speed", "surface=solid", "solid"}, {"surface=speed", "surface=x", "no field"}, {"colour=pressure", "", "no field"}, {"value=0.5", "value=x", "value"}, {"value=0.5", "value=NaN", "not a number"},
		{"value=0.5", "value=1e99", "32 bits"}, {"turn=10", "turn=360", "turn"}, {"turn=10", "", "turn"}, {"tilt=-20", "tilt=86", "tilt"}, {"zoom=1", "zoom=-9", "zoom"}, {"zoom=1", "zoom=1.5", "zoom"},
	} {
		if code, text := ask(t, s, "GET", at+"/api/0/view?"+strings.Replace(good, c[0], c[1], 1)); code != 400 || !strings.Contains(text, c[2]) {
			t.Errorf("%s instead of %s: %d %s", c[1], c[0], code, text)
		}
	}
	answers := make(chan string, 2)
	for k, path := range []string{"view?" + good, "slice?field=speed&axis=z&at=3"} {
		go func() {
			_, text := ask(t, s, "GET", at+"/api/0/"+path)
			answers <- text
		}()
		for p.queue.waiting() < k+1 {
			time.Sleep(time.Millisecond)
		}
	}
	v := p.Viewer()
	speed, _ := model.FindField("speed")
	pressure, _ := model.FindField("pressure")
	want := output.Orbit{Surface: speed, Colour: pressure, Value: 0.5, Turn: 10, Tilt: -20, Zoom: 1, Moving: true}
	if got := v.Wanted(always); got != want {
		t.Fatalf("%+v", got)
	}
	slice, is := v.Wanted(func(b output.Budget) bool { return b != output.Turns }).(output.Slice)
	if !is {
		t.Fatal("a view without time stops slices")
	}
	v.Show(slice, picture.Picture{Quantity: "speed", W: 3, H: 2, Values: make([]float64, 6), Spacing: 1})
	if got := v.Wanted(always); got != want {
		t.Errorf("while a slice is painted %+v is wanted", got)
	}
	if text := <-answers; !strings.Contains(text, `"Axes"`) {
		t.Errorf("%.200s", text)
	}
	v.Show(want, picture.View{Surface: "speed", Value: 0.5, Quantity: "pressure", Look: blank, Levels: []float64{1, 2}})
	if text := <-answers; !strings.Contains(text, `"Value":0.5,"Levels":[1,2]`) || strings.Contains(text, "Axes") {
		t.Errorf("%.400s", text)
	}
	all.Fail(errors.New("a trial"))
}

// blank is an empty view.
func blank() ([]float64, picture.Drawing, error) {
	return []float64{1}, func(func(float64) color.NRGBA) *image.NRGBA { return image.NewNRGBA(image.Rect(0, 0, 32, 18)) }, nil
}

// waiting returns the number of viewers that wait.
func (s *requestQueue) waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.wishes {
		n += w.viewers
	}
	return n
}

// Logs and histories of any length take bounded memory, and keep their order.
func TestMemoryIsBounded(t *testing.T) {
	l := &lines{}
	for k := range 10 * mostLines {
		fmt.Fprintf(l, "line %d\n%s", k, strings.Repeat(" ", k%2))
	}
	list, next := l.after(0)
	if len(list) != mostLines || next != 10*mostLines || list[0] != fmt.Sprintf(" line %d", 9*mostLines) && list[0] != fmt.Sprintf("line %d", 9*mostLines) {
		t.Errorf("%d lines until %d, from %q on", len(list), next, list[0])
	}
	if list, _ := l.after(next - 2); len(list) != 2 {
		t.Errorf("%q", list)
	}
	_, _ = l.Write(make([]byte, 1<<20))
	if len(l.part) > longestLine {
		t.Errorf("%d bytes of a line", len(l.part))
	}
	h := &history{}
	for k := range 50 * mostSamples {
		h.add(Sample{Step: k})
		if k > mostSamples && len(h.list) < mostSamples/2 {
			t.Fatalf("%d samples after %d", len(h.list), k)
		}
	}
	for k, s := range h.list {
		if s.Step != k*h.every {
			t.Fatalf("sample %d is of step %d, want %d", k, s.Step, k*h.every)
		}
	}
}

// The page has the error of a run even if the other reporters get it later, and if the run did not begin.
func TestFailures(t *testing.T) {
	p, _ := begun(t)
	early := NewProcess(func() status.State { return status.State{} })
	early.Warn(finding.NoPicture.Says("a warning"))
	if s := early.State(); s.Standing != starting || s.Bad {
		t.Errorf("%q before the start", s.Standing)
	}
	for _, run := range []*Process{p, early} {
		run.Fail(errors.New("no room"))
		if s := run.State(); s.Phase != status.Failed || !s.Bad || !strings.Contains(s.Error, "no room") {
			t.Errorf("%+v", s)
		}
		if lines, _ := run.Lines(0); !strings.Contains(lines[len(lines)-1], "no room") {
			t.Errorf("%q", lines)
		}
	}
	done, all := begun(t)
	all.Finish(sim.Summary{Case: done.caseFile, Reason: "all steps done", Last: done.caseFile.Run.Steps})
	done.Fail(errors.New("[expect] was missed"))
	if s := done.State(); s.Phase != status.Finished || s.Bad {
		t.Errorf("%+v", s)
	}
}

// The page gets the information that cells are counted on level 0 alone.
func TestAboutARefinedRun(t *testing.T) {
	p, _ := begun(t)
	f := NewFolder(p.Folder())
	for range 100 { // a goroutine writes the file, and the folder stays until it has
		if f.at = (time.Time{}); f.State().Phase == status.Running {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if p.About().Refined {
		t.Error("the box is refined")
	}
	p.caseFile.Refine = make([]decomp.Refinement, 1)
	if !p.About().Refined {
		t.Error("the box is not refined")
	}
}

// A folder of another run shows its state, its case and its end, and takes orders as files.
func TestFolder(t *testing.T) {
	p, all := begun(t)
	all.Progress(sim.Progress{Step: 5, Last: 10})
	dir := p.Folder()
	f := NewFolder(dir)
	s, at := served(t, false, f)
	for range 100 { // a goroutine writes the file
		if f.at = (time.Time{}); f.State().Phase == status.Running {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if code, text := ask(t, s, "POST", at+"/api/0/order/picture"); code != 200 {
		t.Errorf("%d %s", code, text)
	}
	if _, err := os.Stat(filepath.Join(dir, sim.DrawFile)); err != nil {
		t.Error(err)
	}
	if _, text := ask(t, s, "GET", at+"/api/0/about"); !strings.Contains(text, `"live":false`) || !strings.Contains(text, `"orders":["stop"`) {
		t.Errorf("%s", text)
	}
	if code, text := ask(t, s, "GET", at+"/api/0/slice?field=speed&axis=z&at=0"); code != 404 || !strings.Contains(text, "--live") {
		t.Errorf("%d %s", code, text)
	}
	all.Warn(finding.NoPicture.Says("a warning"))
	all.Fail(errors.New("a trial of the end"))
	f.at = time.Time{}
	if lines, _ := f.Lines(0); len(f.State().Warnings) != 1 || !strings.Contains(strings.Join(lines, "\n"), "a trial of the end") {
		t.Errorf("%q", lines)
	}
	if code, text := ask(t, s, "POST", at+"/api/0/order/stop"); code != 409 {
		t.Errorf("%d %s", code, text)
	}
}

// folderOfRun creates a folder below root as a starting run does.
func folderOfRun(t *testing.T, root string, parts ...string) {
	t.Helper()
	dir := filepath.Join(append([]string{root}, parts...)...)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, status.Name), []byte(`{"phase":"running"}`), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Runs below a folder are found, including those that begin later; folders of checkpoints are skipped.
func TestShelf(t *testing.T) {
	root := t.TempDir()
	begin := func(parts ...string) { folderOfRun(t, root, parts...) }
	begin("a")
	begin("b", "study", "refined_2")
	begin("c", output.CheckpointDir, "no")
	s := NewShelf([]string{root}, nil)
	if runs := s.Runs(); len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	first := s.Runs()[0]
	begin("0")
	s.at = time.Time{}
	if runs := s.Runs(); len(runs) != 3 || runs[0] != first || runs[2].Folder() != filepath.Join(root, "0") {
		t.Errorf("%d runs: numbers of runs must stay", len(runs))
	}
}

// A shelf reports omitted runs; files beside runs do not count.
func TestShelfLeavesOut(t *testing.T) {
	root := t.TempDir()
	begin := func(parts ...string) { folderOfRun(t, root, parts...) }
	var told []string
	s := NewShelf([]string{root}, func(left string) { told = append(told, left) })
	begin("a", "b", "c", output.CheckpointDir)
	if s.Runs(); s.LeftOut() != "" || len(told) > 0 {
		t.Fatalf("%q %q", s.LeftOut(), told)
	}
	begin("a", "b", "c", "deep")
	for k := range mostRuns {
		begin(fmt.Sprint("r", k))
	}
	for range 2 {
		s.at = time.Time{}
		s.Runs()
	}
	runs := len(s.Runs())
	for _, want := range []string{"1 folders more than 3 deep", filepath.Join("a", "b", "c", "deep")} {
		if len(told) != 1 || !strings.Contains(told[0], want) || s.LeftOut() != told[0] {
			t.Errorf("%d runs: %q, want %q once", runs, told, want)
		}
	}
	begin("one more")
	s.at = time.Time{}
	if s.Runs(); runs != mostRuns || !strings.Contains(s.LeftOut(), "1 runs are not shown") {
		t.Errorf("%d runs: %q", runs, s.LeftOut())
	}
	full := search{seen: mostSeen - 1}
	s.seek(root, mostDeep, &full)
	if full.seen != mostSeen || !strings.Contains(full.leftOut(), "there are more than 20000") {
		t.Errorf("%+v: %q", full, full.leftOut())
	}
	files := t.TempDir()
	for k := range 30 {
		if err := os.WriteFile(filepath.Join(files, fmt.Sprint(k)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	few := search{seen: mostSeen - 10}
	if s.seek(files, mostDeep, &few); few.leftOut() != "" {
		t.Errorf("%q", few.leftOut())
	}
	served, err := Serve(Options{Address: Local, Runs: s.Runs, LeftOut: s.LeftOut})
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	if code, text := ask(t, served, "GET", fmt.Sprintf("http://127.0.0.1:%d/api/left_out", served.web.Port())); code != 200 || !strings.Contains(text, "not shown") {
		t.Errorf("%d %s", code, text)
	}
}

// Unusable addresses are explained.
func TestRefusedAddresses(t *testing.T) {
	p, _ := begun(t)
	s, _ := served(t, false, p)
	taken := fmt.Sprintf("127.0.0.1:%d", s.web.Port())
	if _, err := Serve(Options{Address: taken}); err == nil || !strings.Contains(Refused(taken, err).Error(), "another program has port") {
		t.Errorf("a port that is taken: %v", err)
	}
	if _, err := Serve(Options{Address: "192.0.2.1:0"}); err == nil || !strings.Contains(Refused("192.0.2.1:0", err).Error(), "not an address of this machine") {
		t.Errorf("an address of another machine: %v", err)
	}
}

// The directions name the node in a job, and how to reach it.
func TestDirections(t *testing.T) {
	node := Place{"node7", "42", "login1"}
	for _, c := range []struct {
		at    Place
		local bool
		want  []string
	}{
		{Place{Host: "pc"}, true, []string{"http://localhost:5/#T", "ssh -L 5:localhost:5 pc"}},
		{Place{Host: "pc"}, false, []string{"http://pc:5/#T", "unencrypted"}},
		{node, true, []string{"http://localhost:5/#T  (on node7, SLURM job 42)", "ssh -J login1 -L 5:localhost:5 node7"}},
		{node, false, []string{"http://node7:5/#T", "ssh -L 5:node7:5 login1, then http://localhost:5/#T", "unencrypted"}},
	} {
		text := strings.Join(directions(c.at, 5, c.local, "T"), "\n")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%+v, local %v: %q lacks %q", c.at, c.local, text, want)
			}
		}
	}
}
