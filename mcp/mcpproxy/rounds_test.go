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
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// asking answers a call: it asks for input, with a state that is the tool's name but for "stateless", until
// there is some.
func asking(call string) string {
	switch {
	case strings.Contains(call, `"inputResponses"`):
		return `{"content":[{"type":"text","text":"done"}]}`
	case strings.Contains(call, `"stateless"`):
		return `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}`
	}
	return `{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create"}}}`
}

// judging is a policy that counts the calls it judges, and refuses bad ones.
func judging() (middleware.Policy, *atomic.Int32) {
	judged := new(atomic.Int32)
	return middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler {
		refusing := refuseBad(next)
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			judged.Add(1)
			return refusing(ctx, call)
		}
	}), judged
}

func roundOf(tool, arguments, state string) string {
	round := ""
	if state != "" {
		round = fmt.Sprintf(`,"requestState":%q,"inputResponses":{"a":{"action":"accept"}}`, state)
	}
	if state == "none" {
		round = `,"inputResponses":{"a":{"action":"accept"}}`
	}
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`,
		tool,
		arguments,
		round,
	)
}

// askingServer answers each request with what asking says; seen is given its body before.
func askingServer(seen func(body string)) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen(string(body))
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`, asking(string(body)))
	}
}

// A next round belongs to a call that policies have let through only if the server asked for it, once, in
// the same session, for the same tool and arguments; all else is judged.
func TestRoundsAreJudgedOnce(t *testing.T) {
	option, judged := judging()
	w := newWatched(t, Options{}, option)
	var reached atomic.Int32
	address := before(t, w, askingServer(func(string) { reached.Add(1) }))
	for _, tt := range []struct {
		name, session string
		call          string
		judged        int32
	}{
		{"first", "A", roundOf("x", `{"n":1}`, ""), 1},
		{"next", "A", roundOf("x", `{"n":1}`, "s"), 0},
		{"next again", "A", roundOf("x", `{"n":1}`, "s"), 1},
		{"no one asked", "A", roundOf("y", `{"n":1}`, "s"), 1},
		{"first of another", "A", roundOf("x", `{"n":2}`, ""), 1},
		{"other arguments", "A", roundOf("x", `{"n":3}`, "s"), 1},
		{"another state", "A", roundOf("x", `{"n":2}`, "t"), 1},
		{"no state", "A", roundOf("x", `{"n":2}`, "none"), 1},
		{"another session", "B", roundOf("x", `{"n":2}`, "s"), 1},
		{"no session", "", roundOf("x", `{"n":2}`, "s"), 1},
		{"its own", "A", roundOf("x", `{"n":2}`, "s"), 0},
		{"refused", "A", roundOf("x", `{"a":"bad"}`, ""), 1},
		{"refused, and claimed", "A", roundOf("x", `{"a":"bad"}`, "s"), 1},
		{"without a session", "", roundOf("x", `{"n":5}`, ""), 1},
		{"without a session, next", "", roundOf("x", `{"n":5}`, "s"), 0},
		{"without a state", "A", roundOf("stateless", `{}`, ""), 1},
		{"without a state, next", "A", roundOf("stateless", `{}`, "none"), 0},
		{"without both", "", roundOf("stateless", `{}`, ""), 1},
		{"without both, next", "", roundOf("stateless", `{}`, "none"), 1},
	} {
		before := judged.Load()
		r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(tt.call))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if tt.session != "" {
			r.Header.Set(mirror.SessionHeader, tt.session)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if bad := strings.Contains(tt.call, "bad"); err != nil || strings.Contains(string(text), "not that") != bad {
			t.Errorf("%s: got %s and %v", tt.name, text, err)
		}
		if got := judged.Load() - before; got != tt.judged {
			t.Errorf("%s: got it judged %d times, want %d", tt.name, got, tt.judged)
		}
	}
	w.settle()
	spans, rounds := 0, 0
	for _, s := range w.spans.Ended() {
		if strings.HasPrefix(s.Name(), "tools/call") {
			spans++
		}
		if has(s, keys.Rounds) == "2" {
			rounds++
		}
	}
	if want := int(judged.Load()); spans != want || rounds != 4 {
		t.Errorf("got %d spans, %d of two rounds, want %d and 4: one for each that was judged", spans, rounds, want)
	}
	if n := reached.Load(); n != 17 {
		t.Errorf("got %d requests at the server, want all but the 2 refused", n)
	}
}

// Over pipes a call of three rounds is one, with the last one's result and in the time of all; one that
// no one carries on ends with the connection, and one that asks for ever is judged again.
func TestGovernedRoundsOverPipes(t *testing.T) {
	option, judged := judging()
	w := newWatched(t, Options{}, option)
	round := 0
	p := connectTo(t, w, func(in io.Reader, out io.WriteCloser) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			result := `{"resultType":"input_required","requestState":"s"}`
			if round++; round == 3 {
				result = `{"content":[{"type":"text","text":"done"}]}`
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":7,"result":%s}`+"\n", result)
		}
		return nil
	})
	p.send(roundOf("x", `{}`, "") + "\n")
	p.send(roundOf("x", `{}`, "s") + "\n")
	if answer := p.send(roundOf("x", `{}`, "s") + "\n"); !strings.Contains(answer, "done") || judged.Load() != 1 {
		t.Errorf("got %s, judged %d times, want once", answer, judged.Load())
	}
	if s := w.span("tools/call x"); has(s, keys.Rounds) != "3" || !strings.Contains(has(s, "gen_ai.tool.call.result"), "done") {
		t.Errorf("got %v, want three rounds and the last one's result", s.Attributes())
	}
	for range 2 * watch.MaxRounds {
		p.send(roundOf("x", `{}`, "s") + "\n")
	}
	if n := judged.Load(); n != 3 {
		t.Errorf("got it judged %d times, want each %d rounds", n, watch.MaxRounds)
	}
	_ = p.to.Close()
	<-p.served
	w.Tap.CallNow(func() { w.FindHung(time.Now().Add(2 * watch.MaxSuspension)) })
	w.settle()
	if n := len(w.spans.Ended()); n != 3 {
		t.Errorf("got %d spans, want 3", n)
	}
}

// A call whose policy panics is recorded, and the proxy goes on.
func TestPolicyThatPanics(t *testing.T) {
	w := newWatched(t, Options{}, middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		// which net/http does not print
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { panic(http.ErrAbortHandler) }
	}))
	address := before(t, w, http.NotFoundHandler())
	if resp, err := http.Post(address, "application/json", strings.NewReader(callBody)); err == nil {
		resp.Body.Close()
		t.Errorf("got %s, want the connection closed", resp.Status)
	}
	if s := w.span("tools/call x"); has(s, keys.ErrorType) != "panic" {
		t.Errorf("got %v", s.Attributes())
	}
}

// A client whose call a policy ended as if no one waited gets an answer all the same.
func TestPolicyThatEndsWithoutAnAnswer(t *testing.T) {
	w := newWatched(t, Options{}, middleware.At(middleware.StagePermit, func(toolkit.Handler) toolkit.Handler {
		return func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, context.Canceled }
	}))
	p := connectTo(t, w, func(in io.Reader, _ io.WriteCloser) error {
		_, err := io.Copy(io.Discard, in)
		return err
	})
	if answer := p.send(refusable + "\n"); !strings.Contains(answer, `"id":1,"error":{"code":-32603,`) {
		t.Errorf("got %s", answer)
	}
	_ = p.to.Close()
	<-p.served
}
