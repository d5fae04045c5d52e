// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// sent makes a request of a session, and returns the answer. It may be called by any goroutine.
func sent(t *testing.T, address, session, body string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(mirror.SessionHeader, session)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// A next round passes the policies that hold for what runs, and not again those that judge the call.
// A call that carries input has no identity behind those, whichever policy judges it, so that nothing is shared.
func TestPoliciesOfRounds(t *testing.T) {
	var seen []string
	var policies []middleware.Policy
	for _, place := range middleware.Stages() {
		policies = append(policies, middleware.At(place, func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				_, ok := call.Record.Identity(call)
				seen = append(seen, fmt.Sprintf("%s %t", place, ok))
				return next(ctx, call)
			}
		}))
	}
	w := newWatched(t, Options{}, policies...)
	got := make(chan string, 1)
	address := before(t, w, askingServer(func(body string) { got <- body }))
	// once are the stages that a call passes once; identified is whether the call has an identity behind Approve.
	once := strings.Fields("inject loop validate permit baseline approve retry")
	passes := func(later, identified bool) string {
		var all []string
		for _, s := range middleware.Stages() {
			if !later || !slices.Contains(once, s.String()) {
				all = append(all, fmt.Sprintf("%s %t", s, identified || s <= middleware.StageApprove))
			}
		}
		return strings.Join(all, " ")
	}
	for _, tt := range []struct{ name, call, want string }{
		{"first", roundOf("x", `{"n":1}`, ""), passes(false, true)},
		{"next", roundOf("x", `{"n":1}`, "s"), passes(true, false)},
		{"next, claimed", roundOf("x", `{"n":1}`, "s"), passes(false, false)},
		{"claimed, without arguments", roundOf("x", `null`, "s"), passes(false, false)},
		{"claimed, with none of them", roundOf("x", "{ \t}", "s"), passes(false, false)},
	} {
		seen = nil
		sent(t, address, "A", tt.call)
		if text := <-got; text != tt.call {
			t.Errorf("%s: got %s at the server, want it as it is", tt.name, text)
		}
		if s := strings.Join(seen, " "); s != tt.want {
			t.Errorf("%s: got\n%s, want\n%s", tt.name, s, tt.want)
		}
	}
}

// What policies put into arguments stands in those of calls with input as well, and nothing else does.
func TestInjectedIntoCallsWithInput(t *testing.T) {
	for name, injected := range map[string]string{"more": `{"n":1,"tenant":"t"}`, "none": ` { } `, "as it is": `{"n":1}`} {
		inject := middleware.At(middleware.StageInject, func(next toolkit.Handler) toolkit.Handler {
			return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				call.Arguments = []byte(injected)
				return next(ctx, call)
			}
		})
		w := newWatched(t, Options{}, inject)
		got := make(chan string, 1)
		address := before(t, w, askingServer(func(body string) { got <- body }))
		for _, state := range []string{"", "s", "s"} { // a call, its next round, and one that the server did not ask for
			sent(t, address, "A", roundOf("x", `{"n":1}`, state))
			want := roundOf("x", strings.TrimSpace(injected), state)
			if text := strings.ReplaceAll(<-got, " ", ""); text != strings.ReplaceAll(want, " ", "") {
				t.Errorf("%s, state %q: got %s, want %s", name, state, text, want)
			}
		}
	}
}

// What comes of a call's last round is cut as that of any call, in the time that any call has, with a slot.
func TestLaterRoundsAreGoverned(t *testing.T) {
	fit, err := middleware.Truncate(middleware.TruncateOptions{Limit: 512})
	if err != nil {
		t.Fatal(err)
	}
	limited, err := limit.New(limit.Options{Rate: limit.Rate{Global: toolkit.RateLimit{MaxCalls: 2, Window: time.Hour}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWatched(t, Options{}, fit, limited)
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`,
			strings.ReplaceAll(asking(string(body)), "done", strings.Repeat("long ", 1000)))
	}))
	sent(t, address, "A", roundOf("x", `{}`, ""))
	if answer := sent(t, address, "A", roundOf("x", `{}`, "s")); len(answer) > 1000 || !strings.Contains(answer, "left out") {
		t.Errorf("got %d bytes, want the result cut: %.600s", len(answer), answer)
	}
	if s := w.span("tools/call x"); has(s, keys.Rounds) != "2" || has(s, "toolscope.truncate") != "cut" {
		t.Errorf("got %v, want one call of two rounds, whose result was cut", s.Attributes())
	}
	if answer := sent(t, address, "A", roundOf("y", `{}`, "")); !strings.Contains(answer, "isError") {
		t.Errorf("got %.600s, want each round to have counted", answer)
	}
}

// A round that takes too long ends its call, and the proxy notifies the server.
func TestTimeoutOfALaterRound(t *testing.T) {
	var passed atomic.Int32
	w := newWatched(t, Options{}, middleware.At(middleware.StageTimeout, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if passed.Add(1) == 1 {
				return next(ctx, call)
			}
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if res, err := next(ctx, call); err == nil && res.Fault == nil {
				return res, nil
			}
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "it took too long"}
		}
	}))
	told := make(chan string, 1)
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.Contains(line, wire.MethodCancelled):
				told <- line
			case !strings.Contains(line, "inputResponses"):
				fmt.Fprintln(out, `{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"s"}}`)
			}
		}
		return nil
	})
	p.send(roundOf("x", `{}`, "") + "\n")
	if answer := p.send(roundOf("x", `{}`, "s") + "\n"); !strings.Contains(answer, "isError") {
		t.Errorf("got %s, want the call given up", answer)
	}
	if line := <-told; !strings.Contains(line, `"requestId":7`) {
		t.Errorf("got %s", line)
	}
	if s := w.span("tools/call x"); has(s, keys.ErrorType) != "timeout" || has(s, keys.Rounds) != "2" {
		t.Errorf("got %v", s.Attributes())
	}
	_ = p.to.Close()
	<-p.served
}

// A write makes what was stored stale when its last round has written, too; and what came of a call with input answers
// no call without.
func TestCacheAndRounds(t *testing.T) {
	stored, err := cache.New(cache.Options{Tools: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWatched(t, Options{}, stored)
	var reads atomic.Int32
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", "application/json")
		result := asking(string(body))
		if strings.Contains(string(body), `"read"`) {
			result = fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, reads.Add(1))
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`, result)
	}))
	read := roundOf("read", `{}`, "")
	for i, step := range []struct {
		call  string
		reads int32
	}{
		{read, 1}, {read, 1},
		{roundOf("write", `{}`, ""), 1}, {read, 2}, {read, 2},
		{roundOf("write", `{}`, "s"), 2}, {read, 3}, {read, 3},
		{roundOf("read", `{"a":1}`, "forged"), 4}, {roundOf("read", `{"a":1}`, ""), 5},
		{roundOf("read", `{"a":1}`, "forged"), 6}, {roundOf("read", `{"a":1}`, ""), 6},
		{strings.Replace(roundOf("read", `{"a":1}`, ""), `"name"`, `"task":{},"name"`, 1), 7}, {roundOf("read", `{"a":1}`, ""), 7},
	} {
		if answer := sent(t, address, "A", step.call); reads.Load() != step.reads {
			t.Errorf("step %d: got %d reads, want %d: %s", i, reads.Load(), step.reads, answer)
		}
	}
}
