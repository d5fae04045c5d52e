// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzRequestHead: a head that is read here is read alike by net/http: where it ends, its Host and the
// length of its body.
func FuzzRequestHead(f *testing.F) {
	for _, x := range exchanges {
		f.Add([]byte(strings.Replace(x.request, "HERE", "localhost:1", 1)))
	}
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost:\tlocalhost \r\nContent-Length: 007\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		end := headEnd(text, 0)
		if end == 0 {
			return
		}
		q, ok := parseRequest(text[:end])
		if !ok {
			return
		}
		if got := string(text[q.hostFrom : q.hostFrom+len(q.host)]); got != q.host {
			t.Fatalf("got %q where Host stands, want %q", got, q.host)
		}
		in := bufio.NewReader(bytes.NewReader(text))
		r, err := http.ReadRequest(in)
		if err != nil { // the server says so
			return
		}
		rest, _ := io.ReadAll(in)
		if r.Host != q.host || r.Method != q.method || r.ContentLength != q.length && r.ContentLength != 0 || len(r.TransferEncoding) > 0 {
			t.Fatalf("got %+v, net/http reads %q %q %d %q", q, r.Host, r.Method, r.ContentLength, r.TransferEncoding)
		}
		if !bytes.Equal(rest, text[end:]) {
			t.Fatalf("got a head of %d bytes, net/http leaves %d of %d", end, len(rest), len(text))
		}
	})
}

// follow feeds a text in pieces and returns what was understood of it.
func follow(text []byte, piece int) string {
	var seen strings.Builder
	tap := newTap()
	a := answers{tap: tap, end: func() { seen.WriteString("end\n") }}
	a.begin = func(h *answerHead) (*stream, bool, bool) {
		fmt.Fprintf(&seen, "%+v\n", *h)
		s := &stream{framing: byEnd, take: func(f frame) { fmt.Fprintf(&seen, "body of %d, %.100q\n", f.size, f.data) }}
		return s, h.status != http.StatusNoContent, true
	}
	for len(text) > 0 && a.feed(text[:min(piece, len(text))], time.Time{}) {
		text = text[min(piece, len(text)):]
	}
	fmt.Fprintf(&seen, "then %d\n", a.part)
	a.close(time.Time{})
	queue, _ := tap.take(nil)
	for i := range queue {
		queue[i].done()
	}
	return seen.String()
}

// FuzzAnswers: answers are the same whatever pieces they come in, and nothing panics.
func FuzzAnswers(f *testing.F) {
	all := ""
	for _, x := range exchanges {
		f.Add([]byte(x.answer), 1)
		all += x.answer
	}
	f.Add([]byte(all), 3)
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"), 2)
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), 5)
	f.Add([]byte("\r\nHTTP/1.1 200 OK\nX: 1\n 2\nContent-Length: 1, 1\n\na\r\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, piece int) {
		if len(text) > 1<<12 {
			return
		}
		whole := follow(text, len(text)+1)
		if got := follow(text, max(1, piece)); got != whole {
			t.Fatalf("in pieces of %d: got\n%s\nwant\n%s", piece, got, whole)
		}
	})
}
