// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// A server may run a call before the body that it comes in has ended: so who is to know of calls does before the last byte
// of the message passes.
func TestHTTPCallsBeginBeforeTheirBodiesEnd(t *testing.T) {
	for _, tt := range []struct {
		name, behind string // the message
		stray        uint64
	}{
		{"the end of the body", "", 0},
		{"blanks", " \n", 0},
		{"something else", `{"jsonrpc":"2.0"}`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var forwarded atomic.Bool
			s := scriptOptions(t, Options{BeforeForward: func() { forwarded.Store(true) }})
			client := s.connect()
			s.send(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
				"Transfer-Encoding: chunked\r\n\r\n", true)
			chunk := func(text string) { s.send(client, fmt.Sprintf("%x\r\n%s\r\n", len(text), text), true) }
			chunk(callBody[:20])
			chunk(callBody[20:])
			server := s.accept()
			r := s.request(server)
			got := make([]byte, len(callBody))
			if _, err := io.ReadFull(r.Body, got); err != nil || string(got) != callBody {
				t.Fatalf("got %q and %v, want %q", got, err, callBody)
			}
			if !forwarded.Load() {
				t.Error("the whole call has reached the server, and its beginning was not recorded")
			}
			if tt.behind != "" {
				chunk(tt.behind)
			}
			s.send(client, "0\r\n\r\n", true)
			if rest, err := io.ReadAll(r.Body); err != nil || string(rest) != tt.behind {
				t.Errorf("got %q and %v, want %q", rest, err, tt.behind)
			}
			answer := `{"jsonrpc":"2.0","id":1,"result":{}}`
			s.send(server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				len(answer), answer), true)
			head := make([]byte, len("HTTP/1.1 200"))
			if _, err := io.ReadFull(client, head); err != nil || !strings.HasSuffix(string(head), " 200") {
				t.Errorf("got %q and %v", head, err)
			}
			s.allEnded(1)
			if n := s.report().Counts[string(watch.NoteStrayInput)]; n != tt.stray {
				t.Errorf("got %d, want %d that are no message", n, tt.stray)
			}
		})
	}
}
