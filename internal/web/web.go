// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Package web answers HTTP/1.1 requests of a page for one user: GET and POST, one request per connection, and answers that
// stream. Every wait and every buffer has a limit, so that clients that send garbage, read slowly or vanish cost a connection
// for some seconds and no more.
//
// net/http adds 3.6 MB to a program, most of it TLS, HTTP/2 and a client, which a page on localhost behind ssh does not use.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Request is a client's request.
type Request struct {
	Method string // GET or POST
	Path   string // decoded, begins with a slash
	Query  url.Values
	Header map[string]string // names in lower case
	Body   []byte
	// Context is done once the client has closed the connection, with the cause ErrGone, or once the server ends, with ErrEnds. A
	// client whose machine vanishes is noticed only when something is written to it.
	Context context.Context
}

// Causes by which the context of a request is done.
var (
	ErrGone = errors.New("the client has closed the connection")
	ErrEnds = errors.New("the server ends")
)

// Answer is the answer to the client: a body, or the output of a stream until it returns or the client is gone.
type Answer struct {
	Code   int // 0: 200
	Type   string
	Body   []byte
	Stream func(w io.Writer) error
	Done   func() // or nil; called once the client has the answer, or is gone
}

// Text returns an answer of one line.
func Text(code int, format string, args ...any) Answer {
	return Answer{Code: code, Type: "text/plain; charset=utf-8", Body: fmt.Appendf(nil, format+"\n", args...)}
}

// Limits of a server.
const (
	mostConnections = 128      // further ones are closed at once
	mostHead        = 16 << 10 // bytes of a request line and its headers
	mostBody        = 16 << 10 // bytes
	headWithin      = 5 * time.Second
	pieceWithin     = 10 * time.Second // a client that takes no piece within this time is dropped
	bodyWithin      = 2 * time.Minute  // of an answer that is not a stream
	piece           = 32 << 10         // bytes
	endWithin       = time.Second      // in which streams may say that the server ends
)

// Server answers requests until it is closed.
type Server struct {
	listener net.Listener
	handle   func(*Request) Answer
	framed   bool
	ctx      context.Context // done once the server ends
	ends     context.CancelCauseFunc
	room     chan struct{} // a place per connection
	end      sync.Once
	failed   sync.Once // a request has met an error of the program

	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

// Listen starts a server on a TCP address. handle is called from several goroutines. framed lets pages of this machine show the server's
// in a frame.
func Listen(address string, framed bool, handle func(*Request) Answer) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, handle: handle, framed: framed, room: make(chan struct{}, mostConnections), conns: map[net.Conn]bool{}}
	s.ctx, s.ends = context.WithCancelCause(context.Background())
	go s.accept()
	return s, nil
}

// Port returns the port that the server listens on.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Loopback reports whether only programs of this machine reach the server.
func (s *Server) Loopback() bool { return s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() }

// Close ends the server: streams have a second to report the end, and clients to request the files that streams have named last.
func (s *Server) Close() { s.end.Do(s.close) }

func (s *Server) close() {
	s.ends(ErrEnds)
	for end := time.Now().Add(endWithin); s.busy() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
}

// busy reports whether there are connections.
func (s *Server) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns) > 0
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for example without free descriptors
			time.Sleep(100 * time.Millisecond)
			continue
		}
		select {
		case s.room <- struct{}{}:
		default:
			c.Close()
			continue
		}
		if !s.adds(c) {
			c.Close()
			return
		}
		go func() {
			defer s.removes(c)
			s.serve(c)
		}()
	}
}

// adds takes a connection in, unless the server has ended.
func (s *Server) adds(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[c] = true
	}
	return !s.closed
}

func (s *Server) removes(c net.Conn) {
	c.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	<-s.room
}

// serve answers the request of a connection.
func (s *Server) serve(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(headWithin))
	r, refused := read(c)
	if r == nil && refused.Code == 0 {
		return // nothing came
	}
	answer := refused
	if r != nil {
		ctx, gone := context.WithCancelCause(s.ctx)
		defer gone(nil)
		go watch(c, gone)
		r.Context = ctx
		answer = s.answer(r)
	}
	if answer.Done != nil {
		defer answer.Done()
	}
	w := &paced{conn: c}
	if answer.Stream == nil {
		w.until = time.Now().Add(bodyWithin)
	}
	if _, err := w.Write(head(answer, s.framed)); err != nil {
		return
	}
	if answer.Stream != nil {
		s.stream(answer, w)
		return
	}
	if _, err := w.Write(answer.Body); err == nil && r == nil {
		drain(c)
	}
}

// watch cancels a request once its client closes the connection, or sends far more than the request. A client that closes only its
// sending side counts as gone, as in net/http: nothing distinguishes the two.
func watch(c net.Conn, gone context.CancelCauseFunc) {
	_ = c.SetReadDeadline(time.Time{})
	_, _ = io.CopyN(io.Discard, c, mostBody)
	gone(ErrGone)
}

// answer returns the answer to a request. The program computes while it answers: an error in an answer must not end it.
func (s *Server) answer(r *Request) (a Answer) {
	defer func() {
		if v := recover(); v != nil {
			s.reports(v)
			a = Text(500, "the request met an error of the program: %v", v)
		}
	}()
	return s.handle(r)
}

// stream lets an answer write. A client that is gone is not an error.
func (s *Server) stream(a Answer, w io.Writer) {
	defer func() {
		if v := recover(); v != nil {
			s.reports(v)
		}
	}()
	_ = a.Stream(w)
}

// reports writes the first error of the program to stderr: pages ask again and again.
func (s *Server) reports(v any) {
	stack := debug.Stack()
	s.failed.Do(func() {
		fmt.Fprintf(os.Stderr, "warning: a request of the page met an error of the program, which continues; further ones are not reported: %v\n%s", v, stack)
	})
}

// drain reads the rest from a refused client: closing a connection with unread bytes resets it, and the client would not see why.
func drain(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite()
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.CopyN(io.Discard, c, 1<<20)
	}
}

// head returns the status line and the headers of an answer. A page of the server loads nothing from elsewhere, runs no script in
// its text, and is shown in no other page's frame, unless framed.
func head(a Answer, framed bool) []byte {
	code := a.Code
	if code == 0 {
		code = 200
	}
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s\r\n", code, phrase(code), a.Type)
	if a.Stream == nil {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(a.Body))
	}
	if code == 405 {
		b = append(b, "Allow: GET, POST\r\n"...)
	}
	ancestors := "'none'"
	if framed {
		ancestors = "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"
	}
	return append(b, strings.Join([]string{
		"Cache-Control: no-store",
		"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors " + ancestors,
		"Cross-Origin-Resource-Policy: same-origin",
		"Cross-Origin-Opener-Policy: same-origin",
		"Referrer-Policy: no-referrer",
		"X-Content-Type-Options: nosniff",
	}, "\r\n")+"\r\n\r\n"...)
}

// phrase returns the words of a status code (RFC 9110, 15).
func phrase(code int) string {
	switch code {
	case 200:
		return "OK"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 409:
		return "Conflict"
	case 413:
		return "Content Too Large"
	case 431:
		return "Request Header Fields Too Large"
	case 500:
		return "Internal Server Error"
	case 503:
		return "Service Unavailable"
	}
	return "Error"
}

// paced writes to a client in pieces, each within a time.
type paced struct {
	conn  net.Conn
	until time.Time // zero: a stream
}

func (p *paced) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		end := time.Now().Add(pieceWithin)
		if !p.until.IsZero() && p.until.Before(end) {
			end = p.until
		}
		_ = p.conn.SetWriteDeadline(end)
		var k int
		k, err = p.conn.Write(b[n:min(n+piece, len(b))])
		n += k
	}
	return n, err
}
