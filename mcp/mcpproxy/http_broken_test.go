// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// What follows a body that is no chunks is not read as another request, whether the server has answered before or not.
func TestHTTPBrokenBodiesEndTheConnection(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for _, early := range []bool{false, true} {
		for _, policies := range [][]middleware.Policy{nil, {pass}} {
			t.Run(fmt.Sprintf("answered early %t, policies %d", early, len(policies)), func(t *testing.T) {
				var mu sync.Mutex
				var paths []string
				w := newWatched(t, Options{}, policies...)
				address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					mu.Lock()
					paths = append(paths, r.URL.Path)
					mu.Unlock()
					if early {
						_ = http.NewResponseController(out).EnableFullDuplex()
						_, _ = io.WriteString(out, "early")
						_ = http.NewResponseController(out).Flush()
					}
					_, _ = io.Copy(io.Discard, r.Body)
				}))
				c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				_ = c.SetDeadline(deadline())
				send := func(text string) {
					if _, err := io.WriteString(c, text); err != nil {
						t.Fatal(err)
					}
				}
				in := bufio.NewReader(c)
				send("POST /first HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
					"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
				if early && policies == nil { // which read the whole request first
					if _, err := in.Peek(1); err != nil {
						t.Fatal(err)
					}
				}
				send("no chunk\r\nGET /second HTTP/1.1\r\nHost: localhost\r\n\r\n")
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadAll(resp.Body); err != nil && !early {
					t.Errorf("the body of the answer: %v", err)
				}
				if rest, _ := io.ReadAll(in); len(rest) > 0 {
					t.Errorf("got %q behind the first answer, want the end", rest)
				}
				mu.Lock()
				defer mu.Unlock()
				if strings.Contains(strings.Join(paths, " "), "/second") {
					t.Errorf("the server got %v, want no request made of a body", paths)
				}
			})
		}
	}
}
