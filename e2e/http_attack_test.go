// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAttacksOverTheWire sends to the demo's server what no browser would, byte by byte, and
// checks that each is refused in time, that nothing comes back that would act in a page, a terminal or
// a header, and that the server then answers as before.
func TestAttacksOverTheWire(t *testing.T) {
	address := strings.TrimSuffix(strings.TrimPrefix(serveDemo(t), "http://"), "/")
	const host = "Host: 127.0.0.1\r\n"
	long := strings.Repeat("A", 1<<20)
	for _, a := range []struct {
		name, request string
		want          []int // of the first answer; 0 is a closed connection
	}{
		{
			"another host in the request line",
			"GET http://evil.example/api/v1/summary HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", []int{421},
		},
		{"another host", "GET /api/v1/summary HTTP/1.1\r\nHost: evil.example\r\n\r\n", []int{421}},
		{"two hosts", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", []int{400}},
		{"no host", "GET / HTTP/1.1\r\n\r\n", []int{400, 421}},
		{"a host with a line break", "GET / HTTP/1.1\r\nHost: 127.0.0.1\n evil.example\r\n\r\n", []int{400, 421}},
		{
			"lengths that disagree",
			"POST /api/v1/summary HTTP/1.1\r\n" + host + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
			[]int{400},
		},
		{
			"a length and chunks",
			"POST /api/v1/summary HTTP/1.1\r\n" + host + "Content-Length: 4\r\nTransfer-Encoding: " +
				"chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: evil.example\r\n\r\n",
			[]int{400, 405},
		},
		{
			"chunks of another spelling",
			"POST /api/v1/summary HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
			[]int{400, 501},
		},
		{"a negative length", "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n", []int{400}},
		{"a header of a mebibyte", "GET / HTTP/1.1\r\n" + host + "X: " + long + "\r\n\r\n", []int{431, 0}},
		{
			"a query of a mebibyte", "GET /api/v1/summary?window=" + long + " HTTP/1.1\r\n" + host + "\r\n",
			[]int{400, 414, 431, 0},
		},
		{"out of the tree", "GET /../../../../etc/passwd HTTP/1.1\r\n" + host + "\r\n", []int{301, 307, 308, 400, 404}},
		{"out of the tree, encoded", "GET /assets/..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + host + "\r\n", []int{400, 404}},
		{
			"out of the tree, encoded twice",
			"GET /assets/%252e%252e/%252e%252e/etc/passwd HTTP/1.1\r\n" + host + "\r\n", []int{400, 404},
		},
		{"a NUL in the path", "GET /api/v1/tools/a%00b HTTP/1.1\r\n" + host + "\r\n", []int{400, 404}},
		{
			"a header by a tool's name",
			"GET /api/v1/tools/x%0d%0aSet-Cookie:%20evil=1 HTTP/1.1\r\n" + host + "\r\n", []int{400, 404},
		},
		{
			"a page by a tool's name",
			"GET /api/v1/tools/%3Cscript%3Ealert(1)%3C%2Fscript%3E HTTP/1.1\r\n" + host + "\r\n",
			[]int{400, 404},
		},
		{
			"a terminal by a tool's name",
			"GET /api/v1/tools/%1b%5b2J%1b%5d0;evil%07 HTTP/1.1\r\n" + host + "\r\n", []int{400, 404},
		},
		{"TRACE", "TRACE / HTTP/1.1\r\n" + host + "Cookie: secret=1\r\n\r\n", []int{405}},
		{"CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + host + "\r\n", []int{400, 404, 405, 421}},
		{"DELETE", "DELETE /api/v1/calls HTTP/1.1\r\n" + host + "\r\n", []int{405}},
		{"HTTP/2 without saying so", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{400, 421, 505, 0}},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n", []int{400, 0}},
		{
			"a range of all ranges",
			"GET /assets/page.js HTTP/1.1\r\n" + host + "Range: bytes=" + strings.Repeat(
				"0-,", 10_000,
			) + "0-\r\n\r\n",
			[]int{200, 206, 400, 416},
		},
		{
			"another site's script",
			"GET /api/v1/summary HTTP/1.1\r\n" + host + "Origin: https://evil.example\r\nSec-Fetch-Site: " +
				"cross-site\r\nSec-Fetch-Mode: cors\r\n\r\n",
			[]int{403},
		},
		{
			"a proxy on this machine",
			"GET /api/v1/summary HTTP/1.1\r\n" + host + "X-Forwarded-For: 203.0.113.9\r\n\r\n", []int{403},
		},
		{
			"a compressed body of nothing",
			"POST /api/v1/summary HTTP/1.1\r\n" + host + "Content-Encoding: gzip\r\nContent-Length: " +
				"20\r\n\r\n" + strings.Repeat(
				"\x1f", 20,
			),
			[]int{400, 405},
		},
	} {
		got, answer := wire(t, address, a.request)
		ok := false
		for _, w := range a.want {
			ok = ok || got == w
		}
		if !ok {
			t.Errorf("%s: got %d %.200q, want one of %v", a.name, got, answer, a.want)
		}
		head, body, _ := strings.Cut(answer, "\r\n\r\n")
		text := strings.Contains(head, "\nContent-Type: application/") && strings.Contains(head, "json\r") &&
			strings.Contains(head, "\nX-Content-Type-Options: nosniff\r")
		for _, evil := range []string{"<script>alert", "\x1b", "root:x:", "secret=1"} {
			if strings.Contains(body, evil) && !(text && evil == "<script>alert") { // which no browser runs in JSON
				t.Errorf("%s: %q comes back: %.300q", a.name, evil, body)
			}
		}
		if strings.Contains(strings.ToLower(head), "set-cookie") || strings.Contains(head, "Access-Control") ||
			strings.Contains(answer, "HTTP/1.1 200 OK\r\n\r\nGET /evil") {
			t.Errorf("%s: got the headers %.500q", a.name, head)
		}
	}

	// Who says nothing, or a byte now and then, is left; meanwhile others are served.
	slow := make([]net.Conn, 200)
	for i := range slow {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: 127")
		slow[i] = c
	}
	for _, path := range []string{"/healthz", "/api/v1/summary", "/"} {
		if got, answer := wire(t, address, "GET "+path+" HTTP/1.1\r\n"+host+"\r\n"); got != http.StatusOK {
			t.Errorf("%s beside slow clients: got %d %.200q", path, got, answer)
		}
	}
	left := time.Now().Add(30 * time.Second)
	for i, c := range slow {
		_ = c.SetReadDeadline(left)
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("slow client %d is still served after half a minute: %v", i, err)
			break
		}
	}

	// A name that is no tool's is not repeated where it could act.
	res, err := http.Get(
		"http://" + address + "/api/v1/tools/" + url.PathEscape("\u202e<img src=x onerror=alert(1)>\x1b[31m"),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || bytes.ContainsAny(text, "\x1b\u202e") ||
		res.Header.Get("Content-Type") != "application/problem+json" ||
		res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got %q as %v, %v", text, res.Header, err)
	}
}

// wire sends bytes and returns the status of the first answer, 0 if there was none, and all that came.
func wire(t *testing.T, address, request string) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	go func() { _, _ = io.WriteString(c, request) }() // the server may answer, and close, before it has all
	r := bufio.NewReader(c)
	var all bytes.Buffer
	res, err := http.ReadResponse(bufio.NewReader(io.TeeReader(r, &all)), nil)
	if err != nil {
		if nerr, ok := err.(net.Error); ok && nerr.Timeout() {
			t.Errorf("no answer and no end in 20 seconds to %.100q", request)
		}
		return 0, all.String()
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	return res.StatusCode, all.String()
}
