// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package web

import (
	"bufio"
	"bytes"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// read reads a request (RFC 9112), or returns why it is refused; neither where the client sent nothing or disconnected. Bodies have a
// length: nothing that a page sends is chunked.
func read(from io.Reader) (*Request, Answer) {
	b := bufio.NewReaderSize(from, mostHead)
	text, refused, ok := readHead(b)
	if !ok {
		return nil, refused
	}
	lines := strings.Split(text, "\r\n")
	words := strings.Split(lines[0], " ")
	if len(words) != 3 || words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0" {
		return nil, Text(400, "not an HTTP/1.1 request")
	}
	if words[0] != "GET" && words[0] != "POST" {
		return nil, Text(405, "%.20q: only GET and POST are answered", words[0])
	}
	at, err := url.ParseRequestURI(words[1])
	if err != nil || !strings.HasPrefix(words[1], "/") || !strings.HasPrefix(at.Path, "/") {
		return nil, Text(400, "not a path of this page")
	}
	query, err := url.ParseQuery(at.RawQuery)
	if err != nil {
		return nil, Text(400, "cannot read the query")
	}
	r := &Request{Method: words[0], Path: at.Path, Query: query, Header: map[string]string{}}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.ToLower(name); !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, Text(400, "cannot read the header %.40q", line)
		}
		if _, again := r.Header[name]; again && (name == "content-length" || name == "authorization") {
			return nil, Text(400, "the header %s is given twice", name)
		}
		r.Header[name] = strings.Trim(value, " \t")
	}
	return body(r, b)
}

// readHead reads up to the empty line.
func readHead(b *bufio.Reader) (text string, refused Answer, ok bool) {
	for want := 1; ; want = b.Buffered() + 1 {
		_, err := b.Peek(want) // waits for more than there was
		seen, _ := b.Peek(b.Buffered())
		if i := bytes.Index(seen, []byte("\r\n\r\n")); i >= 0 {
			text = string(seen[:i])
			_, _ = b.Discard(i + 4)
			return text, Answer{}, true
		}
		switch {
		case err == bufio.ErrBufferFull:
			return "", Text(431, "the request has more than %d bytes of headers", mostHead), false
		case err != nil && len(seen) == 0:
			return "", Answer{}, false
		case err != nil:
			return "", Text(400, "the request is not complete"), false
		}
	}
}

// body reads the body of a request.
func body(r *Request, from io.Reader) (*Request, Answer) {
	if r.Header["transfer-encoding"] != "" {
		return nil, Text(400, "a request body must have a Content-Length")
	}
	length := r.Header["content-length"]
	if length == "" {
		return r, Answer{}
	}
	n, err := strconv.ParseUint(length, 10, 31)
	switch {
	case err != nil:
		return nil, Text(400, "%.20q is not a Content-Length", length)
	case n > mostBody:
		return nil, Text(413, "the request has %d bytes, more than %d", n, mostBody)
	}
	r.Body = make([]byte, n)
	if _, err := io.ReadFull(from, r.Body); err != nil {
		return nil, Text(400, "the request is not complete")
	}
	return r, Answer{}
}
