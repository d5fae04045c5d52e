// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// gaveUp is a client's notification that it gave a request up.
func gaveUp(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// slow is a server that answers no call of the tool x, and tells which calls reached it.
type slow struct {
	reached chan string
	told    chan string // cancellations
}

func newSlow() slow { return slow{make(chan string, 8), make(chan string, 8)} }

func (s slow) answer(message string) string {
	if strings.Contains(message, wire.MethodCancelled) {
		s.told <- message
	}
	if !strings.Contains(message, wire.MethodCallTool) {
		return ""
	}
	s.reached <- message
	if strings.Contains(message, `"x"`) {
		return ""
	}
	return `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}`
}

// A client that gives a call up ends what its policies do with it: a person is not asked any more, the next call has
// its slot, and the span says so.
func TestGivenUpUnderPolicies(t *testing.T) {
	asked := make(chan struct{}, 1)
	approvals := func(t *testing.T) middleware.Policy {
		p, err := approve.New(approve.Options{
			Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "a test", true },
			Askers: []approve.Asker{approve.AskerFunc(func(ctx context.Context, _ approve.Request) (approve.Answer, error) {
				asked <- struct{}{}
				<-ctx.Done()
				return approve.Answer{Approved: true}, nil // too late
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	slots := func(t *testing.T) middleware.Policy {
		p, err := limit.New(limit.Options{Concurrency: limit.Concurrency{Global: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	over := map[string]func(t *testing.T, w *watched, s slow) (send, call func(message string)){
		"pipes": overPipes,
		"HTTP":  overHTTP,
	}
	for name, connect := range over {
		t.Run("asking over "+name, func(t *testing.T) {
			w := newWatched(t, Options{}, approvals(t))
			s := newSlow()
			send, call := connect(t, w, s)
			call(roundOf("x", `{}`, ""))
			<-asked
			send(gaveUp(`"7"`)) // another's
			send(gaveUp(`7`))
			span := w.ended("tools/call x")
			if has(span, keys.ErrorType) != "canceled" || has(span, "toolscope.approval") != "withdrawn" {
				t.Errorf("got %v", span.Attributes())
			}
			if n := w.report().Counts[string(watch.NoteCancelled)]; n != 1 {
				t.Errorf("got %d notes, want one", n)
			}
			if len(s.reached) > 0 {
				t.Errorf("the server got %s", <-s.reached)
			}
			if got := <-s.told; got != gaveUp(`"7"`) || len(s.told) > 0 {
				t.Errorf("the server got %s and %d more, want the cancellation of another's call", got, len(s.told))
			}
		})
		t.Run("running over "+name, func(t *testing.T) {
			w := newWatched(t, Options{}, slots(t))
			s := newSlow()
			send, call := connect(t, w, s)
			call(roundOf("x", `{}`, ""))
			<-s.reached
			call(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}`) // waits for the slot
			send(gaveUp(`7`))
			if name == "HTTP" { // the call's stream stays open, as without a proxy
				<-s.told
			}
			if got := <-s.reached; !strings.Contains(got, `"y"`) {
				t.Errorf("got %s, want the other call", got)
			}
			if span := w.ended("tools/call x"); has(span, keys.ErrorType) != "canceled" {
				t.Errorf("got %v", span.Attributes())
			}
			if span := w.ended("tools/call y"); has(span, keys.ErrorType) != "" {
				t.Errorf("got %v", span.Attributes())
			}
		})
	}
}

// overPipes and overHTTP are a connection to a slow server: send passes a message, and call one that is a call, whose
// answer that no client waits for.
func overPipes(t *testing.T, w *watched, s slow) (send, call func(message string)) {
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if answer := s.answer(lines.Text()); answer != "" {
				fmt.Fprintln(out, answer)
			}
		}
		return nil
	})
	t.Cleanup(func() { _ = p.to.Close(); <-p.served })
	send = func(message string) {
		if _, err := io.WriteString(p.to, message+"\n"); err != nil {
			t.Error(err)
		}
	}
	return send, send
}

func overHTTP(t *testing.T, w *watched, s slow) (send, call func(message string)) {
	var calls sync.WaitGroup
	over := make(chan struct{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := s.answer(string(body))
		switch {
		case answer != "":
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, answer)
		case strings.Contains(string(body), wire.MethodCallTool):
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(overhttp.Flushing{ResponseWriter: out}, ": soon\n\ndata: {")
			select {
			case <-r.Context().Done():
				t.Error("the proxy ended the stream of a call that the client gave up")
			case <-over:
			}
		default:
			out.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(func() {
		close(over)
		calls.Wait()
	})
	send = func(message string) { sent(t, address, "A", message) }
	call = func(message string) {
		calls.Go(func() {
			answer := sent(t, address, "A", message)
			if !strings.Contains(answer, `"id":`) && answer != ": soon\n\ndata: {" && answer != "" {
				t.Errorf("got %s, want an answer to the request, the server's stream, or none for a call that was not sent", answer)
			}
		})
	}
	return send, call
}

// Which request a notification gives up is read alike by all, or it does not pass.
func TestGivenUpIsUnderstood(t *testing.T) {
	for id, want := range map[string]bool{`1`: true, `"a"`: true, `1.0`: false, `"\u0061"`: false, `{}`: false, `[1]`: false} {
		if _, refused := wire.ReadStrict([]byte(gaveUp(id))); (refused == "") != want {
			t.Errorf("%s: got %q, want it understood: %t", id, refused, want)
		}
	}
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`:                                                           true,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r","_meta":{}}}`:          true,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`:                                              false,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"name":1,"requestId":1}}`:                         false,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"RequestId":2}}`:                    false,
		`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","method":"a"}]`: true,
	} {
		if _, refused := wire.ReadStrict([]byte(text)); (refused == "") != want {
			t.Errorf("%s: got %q, want it understood: %t", text, refused, want)
		}
	}
}

// So does a client that closes its request.
func TestClosedUnderPolicies(t *testing.T) {
	for name, stream := range map[string]bool{"before the answer": false, "within a stream": true} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, Options{}, editing())
			reached := make(chan struct{})
			gone := make(chan struct{})
			address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				if stream {
					out.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(overhttp.Flushing{ResponseWriter: out}, "data: {")
				}
				close(reached)
				<-r.Context().Done()
				close(gone)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(roundOf("x", `{}`, "")))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			go func() {
				<-reached
				cancel()
			}()
			if resp, err := http.DefaultClient.Do(r); err == nil {
				_, _ = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			<-gone
			if s := w.ended("tools/call x"); has(s, keys.ErrorType) != "canceled" {
				t.Errorf("got %v", s.Attributes())
			}
		})
	}
}
