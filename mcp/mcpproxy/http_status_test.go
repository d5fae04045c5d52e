// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A status that ends no answer is a failure of the server's, and ends no process: one below 100 did.
func TestHTTPStatusesThatAreNone(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for _, head := range []string{
		"HTTP/1.1 000 None\r\n", "HTTP/1.1 099 None\r\n", "HTTP/1.1 101 Other\r\nUpgrade: other\r\nConnection: Upgrade\r\n",
	} {
		for _, policies := range [][]middleware.Policy{nil, {pass}} {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				_, _ = io.WriteString(c, head+"Content-Length: 0\r\n\r\n")
			}()
			w := newWatched(t, Options{}, policies...)
			address := serve(t, w, &url.URL{Scheme: "http", Host: l.Addr().String()})
			resp, err := http.Post(address, "application/json", strings.NewReader(callBody))
			if err != nil {
				t.Fatalf("%q, %d policies: %v", head, len(policies), err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadGateway {
				t.Errorf("%q, %d policies: got status %d, want 502", head, len(policies), resp.StatusCode)
			}
		}
	}
}

// An answer without a content type gets none.
func TestHTTPAnswersWithoutAContentType(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for _, policies := range [][]middleware.Policy{nil, {pass}} {
		w := newWatched(t, Options{}, policies...)
		address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			out.Header()["Content-Type"] = nil
			_, _ = io.WriteString(out, strings.Repeat(" ", 64<<10)+"{}") // more than is written with the headers
		}))
		resp, err := http.Post(address, "application/json", strings.NewReader(callBody))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header["Content-Type"]; got != nil {
			t.Errorf("%d policies: got %q, want none", len(policies), got)
		}
	}
}
