// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package live

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"lbmsim/internal/web"
)

// The page, and uPlot 1.6.32 (MIT), which draws its curves.
//
//go:embed page
var page embed.FS

// Server serves the page of some runs. Everything but the page itself, which is the same for every run, needs the token.
type Server struct {
	web      *web.Server
	token    string
	readOnly bool
	runs     func() []Run
	leftOut  func() string

	mu       sync.Mutex
	viewers  int
	listings map[Run]*listing
}

// Options configure the content and permissions of a server.
type Options struct {
	Address  string // host:port; port 0: a free one
	ReadOnly bool   // no orders
	Framed   bool   // pages of this machine, such as a notebook, may embed the page in a frame
	Runs     func() []Run
	LeftOut  func() string // the omissions of Runs; nil: none
}

// Serve starts a server.
func Serve(o Options) (*Server, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("making a token: %w", err)
	}
	s := &Server{token: hex.EncodeToString(random), readOnly: o.ReadOnly, runs: o.Runs, leftOut: o.LeftOut, listings: map[Run]*listing{}}
	if s.leftOut == nil {
		s.leftOut = func() string { return "" }
	}
	w, err := web.Listen(o.Address, o.Framed, s.answer)
	if err != nil {
		return nil, err
	}
	s.web = w
	return s, nil
}

// Close ends the server. Viewers get the last state; the caller waits at most a second for them.
func (s *Server) Close() {
	s.mu.Lock()
	for _, l := range s.listings {
		l.forget() // the last list of files must have the last rows
	}
	s.mu.Unlock()
	s.web.Close()
}

// answer answers a request.
func (s *Server) answer(r *web.Request) web.Answer {
	rest, isData := strings.CutPrefix(r.Path, "/api/")
	if !isData {
		return file(r)
	}
	given, isToken := strings.CutPrefix(r.Header["authorization"], "Bearer ")
	if !isToken || subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
		return web.Text(401, "the token of the URL that lbmsim printed is missing or wrong")
	}
	switch {
	case rest == "runs" && r.Method == "GET":
		return s.list()
	case rest == "left_out" && r.Method == "GET":
		return asJSON(s.leftOut())
	}
	id, what, _ := strings.Cut(rest, "/")
	runs := s.runs()
	n, err := strconv.Atoi(id)
	if err != nil || n < 0 || n >= len(runs) {
		return web.Text(404, "there is no run %.20q", id)
	}
	run := runs[n]
	if word, isOrder := strings.CutPrefix(what, "order/"); isOrder {
		return s.order(r, run, word)
	}
	if r.Method != "GET" {
		return web.Text(405, "only orders are sent by POST")
	}
	switch what {
	case "about":
		return s.about(run)
	case "events":
		return s.events(r, run)
	case "history":
		h, ok := run.(Historian)
		if !ok {
			return asJSON([]Sample{})
		}
		return asJSON(h.History())
	case "rows":
		return s.rows(r, run)
	case "picture":
		return s.picture(r, run)
	case sliceWord, viewWord:
		return s.seen(r, run, what)
	}
	return web.Text(404, "there is no %.40q", what)
}

// file returns a file of the page.
func file(r *web.Request) web.Answer {
	name := strings.TrimPrefix(r.Path, "/")
	if name == "" {
		name = "index.html"
	}
	types := map[string]string{".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
	text, err := page.ReadFile("page/" + name)
	kind, known := types[path.Ext(name)]
	if err != nil || !known || r.Method != "GET" {
		return web.Text(404, "there is no such page")
	}
	return web.Answer{Type: kind + "; charset=utf-8", Body: text}
}

// asJSON encodes a value; a value that JSON cannot represent, such as NaN, is a bug.
func asJSON(v any) web.Answer {
	b, err := json.Marshal(v)
	if err != nil {
		return web.Text(500, "%v", err)
	}
	return web.Answer{Type: "application/json", Body: b}
}

// row is a run in the list of runs.
type row struct {
	State
	Folder  string  `json:"folder"`
	Picture *series `json:"picture,omitempty"` // the last of its first pictures
}

// list returns all runs.
func (s *Server) list() web.Answer {
	all := []row{}
	for _, run := range s.runs() {
		l := row{State: run.State(), Folder: run.Folder()}
		if f := s.files(run); len(f.Pictures) > 0 {
			p := f.Pictures[0]
			p.Steps = p.Steps[len(p.Steps)-1:]
			l.Picture = &p
		}
		all = append(all, l)
	}
	return asJSON(all)
}

// files lists the files of a run.
func (s *Server) files(run Run) files {
	s.mu.Lock()
	l := s.listings[run]
	if l == nil {
		l = &listing{}
		s.listings[run] = l
	}
	s.mu.Unlock()
	return l.of(run.Folder())
}

// about returns the constant information; a read-only page offers no orders.
func (s *Server) about(run Run) web.Answer {
	a := run.About()
	if s.readOnly {
		a.Orders, a.Refused = []string{}, "this page may only watch (read-only)"
	}
	return asJSON(a)
}

// order hands an order to the run.
func (s *Server) order(r *web.Request, run Run, word string) web.Answer {
	o, known := orderOf(word)
	switch {
	case r.Method != "POST":
		return web.Text(405, "orders are sent by POST")
	case s.readOnly:
		return web.Text(403, "this page may only watch: lbmsim was started with a read-only page")
	case !known:
		return web.Text(404, "there is no order %.20q", word)
	}
	if err := run.Order(o); err != nil {
		return web.Text(409, "%v", err)
	}
	return web.Text(200, "%s: ordered", word)
}

// rows returns rows of a table.
func (s *Server) rows(r *web.Request, run Run) web.Answer {
	name := r.Query.Get("table")
	from, err := strconv.ParseInt(r.Query.Get("from"), 10, 64)
	if err != nil {
		return web.Text(400, "from = %.40q is not a whole number", r.Query.Get("from"))
	}
	if !s.files(run).has(name) {
		return web.Text(404, "there is no table %.80q", name)
	}
	rows, err := readRows(path.Join(run.Folder(), name), from, r.Query.Get("mark"))
	if err != nil {
		return web.Text(404, "%v", err)
	}
	return asJSON(rows)
}

// mostPicture is the largest file that is sent as a picture.
const mostPicture = 64 << 20

// picture returns a picture that the run has written.
func (s *Server) picture(r *web.Request, run Run) web.Answer {
	name := r.Query.Get("name")
	step, err := strconv.ParseInt(r.Query.Get("step"), 10, 64)
	if err != nil {
		return web.Text(400, "step = %.40q is not a whole number", r.Query.Get("step"))
	}
	known, ok := s.files(run).find(name)
	if !ok {
		return web.Text(404, "there is no picture %.80q", name)
	}
	path, ok := picturePath(run.Folder(), known, step)
	if !ok {
		return web.Text(404, "%.80q has no picture of step %d", name, step)
	}
	f, err := os.Open(path)
	if err != nil {
		return web.Text(404, "%v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostPicture))
	if err != nil {
		return web.Text(404, "%v", err)
	}
	return web.Answer{Type: "image/png", Body: text}
}

// seen returns a slice or a view of the present state.
func (s *Server) seen(r *web.Request, run Run, kind string) web.Answer {
	from, ok := run.(Seen)
	if !ok {
		return web.Text(404, "only a run that serves the page itself (lbmsim run --live) shows its present state")
	}
	of, err := from.Find(kind, r.Query)
	switch {
	case errors.Is(err, errNotBegun):
		return web.Text(409, "%v", err)
	case err != nil:
		return web.Text(400, "%v", err)
	}
	shown, err := from.See(r.Context, of)
	switch {
	case errors.Is(err, errEnded), errors.Is(err, web.ErrEnds):
		return web.Text(409, "%v", err)
	case err != nil:
		return web.Text(503, "%v", err)
	}
	return asJSON(shown)
}

// Limits of streams.
const (
	mostViewers = 64
	eventsEvery = 500 * time.Millisecond
	aliveEvery  = 15 * time.Second
	lastWithin  = 400 * time.Millisecond // time for a page to read the last rows and pictures
)

// events streams changes as server-sent events, until the client or the server ends. Nothing is queued for a client: a slow
// client gets the current state less often.
func (s *Server) events(r *web.Request, run Run) web.Answer {
	from, _ := strconv.Atoi(r.Query.Get("line"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.viewers >= mostViewers {
		return web.Text(503, "%d viewers are watching already", mostViewers)
	}
	s.viewers++
	return web.Answer{Type: "text/event-stream", Stream: func(w io.Writer) error {
		return s.stream(r.Context, w, run, from)
	}, Done: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.viewers--
	}}
}

func (s *Server) stream(ctx context.Context, w io.Writer, run Run, line int) error {
	e := events{w: w, last: map[string]string{}}
	beat := time.NewTicker(eventsEvery)
	defer beat.Stop()
	for ended := false; ; {
		if lines, next := run.Lines(line); len(lines) > 0 || next < line {
			e.send("log", struct {
				Lines []string `json:"lines"`
				Next  int      `json:"next"`
			}{lines, next})
			line = next
		}
		e.send("files", s.files(run))
		e.send("state", run.State())
		if err := e.flush(); err != nil {
			return err
		}
		if ended {
			time.Sleep(lastWithin)
			e.send("end", struct{}{})
			return e.flush()
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, web.ErrEnds) {
				return err
			}
			ended = true // once more, with the end of the run
		}
	}
}

// events collects events of one moment.
type events struct {
	w    io.Writer
	last map[string]string // of each kind
	text []byte
	sent time.Time
	err  error
}

// send adds an event, unless it is the same as the last of its kind.
func (e *events) send(kind string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		e.err = err
		return
	}
	if text := string(b); e.last[kind] != text {
		e.last[kind] = text
		e.text = fmt.Appendf(e.text, "event: %s\ndata: %s\n\n", kind, b)
	}
}

// flush writes the collected events. An occasional comment detects whether the client is still
// connected.
func (e *events) flush() error {
	if len(e.text) == 0 && time.Since(e.sent) > aliveEvery {
		e.text = []byte(": alive\n\n")
	}
	if len(e.text) == 0 || e.err != nil {
		return e.err
	}
	_, err := e.w.Write(e.text)
	e.text, e.sent = e.text[:0], time.Now()
	return err
}
