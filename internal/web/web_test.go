// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a server on a free port.
func serve(t *testing.T, handle func(*Request) Answer) (*Server, string) {
	t.Helper()
	s, err := Listen("127.0.0.1:0", false, handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.ctx.Done():
		default:
			s.Close()
		}
	})
	return s, fmt.Sprintf("127.0.0.1:%d", s.Port())
}

func echo(r *Request) Answer {
	return Text(200, "%s %s %s %s %s", r.Method, r.Path, r.Query.Get("q"), r.Header["x-word"], r.Body)
}

// The client of Go's library understands the answers.
func TestAnswers(t *testing.T) {
	_, at := serve(t, echo)
	for _, c := range []struct {
		method, path, body, want string
		code                     int
	}{
		{"GET", "/a%20b?q=1%262", "", "GET /a b 1&2 word ", 200},
		{"POST", "/", "body", "POST /  word body", 200},
		{"POST", "/", strings.Repeat("x", mostBody+1), "more than", 413},
		{"DELETE", "/", "", "only GET and POST", 405},
		{"GET", "/" + strings.Repeat("y", mostHead), "", "bytes of headers", 431},
	} {
		r, err := http.NewRequest(c.method, "http://"+at+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Word", "word")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil || got.StatusCode != c.code || !strings.Contains(string(text), c.want) {
			t.Errorf("%s %.40s: %d %q (%v), want %d %q", c.method, c.path, got.StatusCode, text, err, c.code, c.want)
		}
		if p := got.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe") {
			t.Errorf("%s %.40s: policy %q", c.method, c.path, p)
		}
	}
}

// send sends bytes and returns the first line of the answer.
func send(t *testing.T, at string, text []byte) string {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Write(text); err != nil {
		return ""
	}
	_ = c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	line, _, _ := strings.Cut(string(answer), "\r\n")
	return line
}

func TestRefusals(t *testing.T) {
	_, at := serve(t, echo)
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                                                "200",
		"GET /\r\n\r\n":                                                         "400",
		"GET http://elsewhere/ HTTP/1.1\r\n\r\n":                                "400",
		"GET / HTTP/2\r\n\r\n":                                                  "400",
		"GET / HTTP/1.1\r\nX":                                                   "400",
		"GET / HTTP/1.1\r\nno colon\r\n\r\n":                                    "400",
		"GET / HTTP/1.1\r\nname : value\r\n\r\n":                                "400",
		"GET /%zz HTTP/1.1\r\n\r\n":                                             "400",
		"GET /?a=%zz HTTP/1.1\r\n\r\n":                                          "400",
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n":                         "400",
		"POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd": "400",
		"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcd":                      "400",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n":        "400",
		"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n":                   "413",
		"\x16\x03\x01\x02\x00":                                                  "400", // TLS
	} {
		if got := send(t, at, []byte(text)); !strings.HasPrefix(got, "HTTP/1.1 "+want) {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
}

// A thousand requests of garbage leave the server as it was.
func TestGarbage(t *testing.T) {
	_, at := serve(t, echo)
	from := rand.New(rand.NewSource(1))
	before := runtime.NumGoroutine()
	pieces := []string{"GET ", "POST ", "/", " HTTP/1.1", "\r\n", "\r\n\r\n", "Content-Length: 3", ":", "%", "?", "\x00", "\xff", "a"}
	for range 1000 {
		var b bytes.Buffer
		for range from.Intn(12) {
			b.WriteString(pieces[from.Intn(len(pieces))])
		}
		send(t, at, b.Bytes())
	}
	if got := send(t, at, []byte("GET / HTTP/1.1\r\n\r\n")); got != "HTTP/1.1 200 OK" {
		t.Errorf("%q", got)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// Clients that send nothing or read nothing take the places of a bounded number of connections, for a bounded time.
func TestSlowClients(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for deadlines of 10 s; make test-all runs it")
	}
	ended := make(chan error, 1)
	_, at := serve(t, func(r *Request) Answer {
		if r.Path != "/stream" {
			return echo(r)
		}
		return Answer{Type: "text/plain", Stream: func(w io.Writer) (err error) {
			for err == nil {
				_, err = w.Write(make([]byte, 1<<20))
			}
			ended <- err
			return err
		}}
	})
	var silent []net.Conn
	for range 2 * mostConnections {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		silent = append(silent, c)
	}
	time.Sleep(headWithin + time.Second)
	if got := send(t, at, []byte("GET / HTTP/1.1\r\n\r\n")); got != "HTTP/1.1 200 OK" {
		t.Errorf("beside %d silent clients: %q", len(silent), got)
	}
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET /stream HTTP/1.1\r\n\r\n")
	var late net.Error
	select {
	case err := <-ended:
		if !errors.As(err, &late) || !late.Timeout() {
			t.Errorf("the stream ended by %v", err)
		}
	case <-time.After(2 * pieceWithin):
		t.Error("a client that reads nothing keeps its stream")
	}
}

// Streams are informed of the end; those that ignore it are cut off.
func TestClose(t *testing.T) {
	var began sync.WaitGroup
	began.Add(2)
	s, at := serve(t, func(r *Request) Answer {
		return Answer{Type: "text/plain", Stream: func(w io.Writer) error {
			began.Done()
			if r.Path == "/deaf" {
				for {
					if _, err := w.Write([]byte("x")); err != nil {
						return err
					}
					time.Sleep(10 * time.Millisecond)
				}
			}
			<-r.Context.Done()
			_, err := io.WriteString(w, "the end")
			return err
		}}
	})
	texts := make(chan string, 2)
	for _, path := range []string{"/", "/deaf"} {
		go func() {
			got, err := http.Get("http://" + at + path)
			if err != nil {
				texts <- err.Error()
				return
			}
			text, _ := io.ReadAll(got.Body)
			got.Body.Close()
			texts <- string(text)
		}()
	}
	began.Wait()
	start := time.Now()
	s.Close()
	if took := time.Since(start); took > endWithin+time.Second {
		t.Errorf("closed after %v", took)
	}
	if all := <-texts + <-texts; !strings.Contains(all, "the end") {
		t.Errorf("streams had %.100q", all)
	}
	if _, err := net.Dial("tcp", at); err == nil {
		t.Error("the port still answers")
	}
}

// An error of the program in an answer or a stream ends neither the program nor the server.
func TestErrorsOfAnswers(t *testing.T) {
	said, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = before }()
	_, at := serve(t, func(r *Request) Answer {
		switch r.Path {
		case "/answer":
			panic("a trial")
		case "/stream":
			return Answer{Type: "text/plain", Stream: func(io.Writer) error { panic("a trial") }}
		}
		return echo(r)
	})
	for _, c := range [][2]string{{"/answer", "500"}, {"/stream", "200"}, {"/answer", "500"}, {"/", "200"}} {
		if got := send(t, at, []byte("GET "+c[0]+" HTTP/1.1\r\n\r\n")); !strings.HasPrefix(got, "HTTP/1.1 "+c[1]) {
			t.Errorf("%s: %q", c[0], got)
		}
	}
	w.Close()
	text, _ := io.ReadAll(said)
	if n := strings.Count(string(text), "a trial"); n == 0 || strings.Count(string(text), "warning:") != 1 {
		t.Errorf("stderr has %q", text)
	}
}

// Done is called once for each answer, also where the client went before it had the head.
func TestDone(t *testing.T) {
	var begun, done atomic.Int32
	leave := make(chan struct{})
	_, at := serve(t, func(r *Request) Answer {
		begun.Add(1)
		<-leave
		a := Answer{Type: "text/plain", Done: func() { done.Add(1) }}
		if r.Path == "/stream" {
			a.Stream = func(io.Writer) error { panic("a trial") }
		}
		return a
	})
	const each = 10
	for k := range each {
		for _, path := range []string{"/", "/stream"} {
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(c, "GET %s HTTP/1.1\r\n\r\n", path)
			for begun.Load() < int32(2*k+1) { // the request has been read
				time.Sleep(time.Millisecond)
			}
			defer c.Close()
			if path == "/" {
				continue
			}
			for begun.Load() < int32(2*k+2) {
				time.Sleep(time.Millisecond)
			}
			_ = c.(*net.TCPConn).SetLinger(0) // a reset
			c.Close()
		}
	}
	time.Sleep(50 * time.Millisecond) // until the resets are there
	close(leave)
	for start := time.Now(); done.Load() < 2*each && time.Since(start) < 10*time.Second; {
		time.Sleep(5 * time.Millisecond)
	}
	if n := done.Load(); n != 2*each {
		t.Errorf("%d answers were done, want %d", n, 2*each)
	}
}

// A request whose client closes the connection is cancelled at once, and the server's end cancels the others.
func TestContext(t *testing.T) {
	causes, begun := make(chan error, 1), make(chan bool)
	s, at := serve(t, func(r *Request) Answer {
		begun <- true
		<-r.Context.Done()
		causes <- context.Cause(r.Context)
		return Text(200, "late")
	})
	for _, want := range []error{ErrGone, ErrGone, ErrEnds} {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "GET / HTTP/1.1\r\n\r\nmore") // which is ignored
		<-begun
		select {
		case err := <-causes:
			t.Fatalf("cancelled before the client has gone: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if want == ErrGone {
			c.Close()
		} else {
			go s.Close()
		}
		if got := <-causes; got != want {
			t.Errorf("cancelled by %v, want %v", got, want)
		}
	}
}

// While streams report the end of the server, it answers requests that follow from them; then no more.
func TestAnswersAtTheEnd(t *testing.T) {
	s, at := serve(t, func(r *Request) Answer {
		if r.Path != "/stream" {
			return echo(r)
		}
		return Answer{Type: "text/plain", Stream: func(w io.Writer) error {
			_, _ = io.WriteString(w, "begun\n")
			<-r.Context.Done()
			_, err := io.WriteString(w, "last\n")
			time.Sleep(200 * time.Millisecond)
			return err
		}}
	})
	got, err := http.Get("http://" + at + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	lines.Scan()
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	if lines.Scan(); lines.Text() != "last" {
		t.Fatalf("%q", lines.Text())
	}
	if got := send(t, at, []byte("GET / HTTP/1.1\r\n\r\n")); got != "HTTP/1.1 200 OK" {
		t.Errorf("%q", got)
	}
	<-closed
	if _, err := net.Dial("tcp", at); err == nil {
		t.Error("the port still answers")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("POST /a?b=c HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, refused := read(bytes.NewReader(text))
		if r != nil && (refused.Code != 0 || !strings.HasPrefix(r.Path, "/") || len(r.Body) > mostBody) {
			t.Errorf("%q: %+v %+v", text, r, refused)
		}
	})
}

// Only a server that allows it is shown in frames, by pages of this machine alone.
func TestFrames(t *testing.T) {
	for framed, want := range map[bool]string{
		false: "frame-ancestors 'none'\r\n",
		true:  "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*\r\n",
	} {
		if text := string(head(Answer{}, framed)); !strings.Contains(text, want) {
			t.Errorf("framed %v: %s", framed, text)
		}
	}
}
