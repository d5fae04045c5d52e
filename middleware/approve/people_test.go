// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
)

const people = `# name and token
ada   the-token-of-ada-0001
grace the-token-of-grace-01

linus the-token-of-linus-01
`

// asPerson are the headers of a person's program.
func asPerson(name string) []string {
	tokens := map[string]string{"ada": "the-token-of-ada-0001", "grace": "the-token-of-grace-01", "linus": "the-token-of-linus-01"}
	return []string{"Authorization", "Bearer " + tokens[name], "Content-Type", "application/json"}
}

// asks is a policy of these options that is served, and the calls that wait for it.
func asks(t *testing.T, o approve.Options) (*house, string) {
	t.Helper()
	o.Askers = []approve.Asker{approve.HTTP()}
	h := newHouse(t, o)
	handler, err := approve.NewHandler(h.Policy, people)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return h, server.URL
}

// waits makes a call and returns the request that it opens, and the call's error.
func (h *house) waits(t *testing.T, ctx context.Context, tool, arguments string) (approve.Request, <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	before := len(h.Pending())
	go func() {
		_, err := h.call(ctx, tool, arguments)
		done <- err
	}()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) { // polls
		if open := h.Pending(); len(open) > before {
			return open[len(open)-1], done
		}
	}
	t.Fatal("no request was opened")
	return approve.Request{}, nil
}

// answers posts a yes of a person.
func answers(t *testing.T, url, person string, r approve.Request, yes bool) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"approve":%v,"digest":%q,"by":"root"}`, yes, r.Digest)
	code, text, _ := ask(t, "POST", url+"/api/v1/approvals/"+r.ID, body, asPerson(person)...)
	return code, text
}

func TestPeopleHaveRoles(t *testing.T) {
	h, url := asks(t, approve.Options{People: []approve.Person{
		{Name: "ada", Tools: []string{"pay"}}, {Name: "grace", Risks: []string{"low", "medium"}, Stop: true},
	}})
	pay, paid := h.waits(t, t.Context(), "pay", `{"amount":1}`)
	wipe, wiped := h.waits(t, t.Context(), "wipe", `{}`)
	for _, c := range []struct {
		who  string
		what approve.Request
		why  string
	}{
		{"linus", pay, "not among Options.People"}, {"ada", wipe, "may not approve calls of the tool"},
		{"grace", wipe, `may not approve calls of the risk \"high\"`}, {"grace", pay, `of the risk \"\"`},
	} {
		if code, body := answers(t, url, c.who, c.what, true); code != 403 || !strings.Contains(body, c.why) {
			t.Errorf("%s, %s: got %d %s, want %q", c.who, c.what.Tool, code, body, c.why)
		}
	}
	if code, body := answers(t, url, "ada", pay, true); code != 200 || !strings.Contains(body, `"state":"approved"`) {
		t.Errorf("got %d %s", code, body)
	}
	if err := <-paid; err != nil {
		t.Error(err)
	}
	if code, _ := answers(t, url, "linus", wipe, false); code != 200 || <-wiped == nil {
		t.Error("everyone with a token may reject")
	}
	if d := h.Decided(); d[0].By != "linus" || d[1].By != "ada" {
		t.Errorf("got answers by %s and %s, want the names of the tokens", d[0].By, d[1].By)
	}
	for person, want := range map[string]int{"ada": 403, "grace": 200} {
		if code, body, _ := ask(t, "POST", url+"/api/v1/stops", `{"kind":"tool","name":"x"}`, asPerson(person)...); code != want {
			t.Errorf("%s at the switch: got %d %s", person, code, body)
		}
	}
}

func TestTwoPeople(t *testing.T) {
	var told []string
	h, url := asks(t, approve.Options{TwoPeople: []string{"pa?"}, Tell: func(d approve.Decision) {
		told = append(told, string(d.State)+" "+d.By)
	}})
	r, done := h.waits(t, t.Context(), "pay", `{"amount":1}`)
	if code, body := answers(t, url, "ada", r, true); code != 200 || !strings.Contains(body, `"state":"pending"`) {
		t.Fatalf("the first: got %d %s", code, body)
	}
	if code, body := answers(t, url, "ada", r, true); code != 403 || !strings.Contains(body, "a second person") {
		t.Errorf("the same again: got %d %s", code, body)
	}
	if open := h.Pending(); len(open) != 1 || open[0].ApprovedBy != "ada" || h.ran.Load() != 0 {
		t.Fatalf("got %+v", open)
	}
	if code, body := answers(t, url, "grace", r, true); code != 200 || !strings.Contains(body, `"state":"approved"`) {
		t.Errorf("the second: got %d %s", code, body)
	}
	if err := <-done; err != nil || h.ran.Load() != 1 {
		t.Errorf("got %v, ran %d times", err, h.ran.Load())
	}
	if got := strings.Join(told, "; "); got != "pending ; pending ada; approved ada, grace" {
		t.Errorf("the audit log got %s", got)
	}
	r, done = h.waits(t, t.Context(), "pay", `{"amount":2}`)
	answers(t, url, "ada", r, true)
	if code, _ := answers(t, url, "grace", r, false); code != 200 || <-done == nil {
		t.Error("the second person's no did not count")
	}
}

func TestTokensOfPeople(t *testing.T) {
	for _, c := range []struct{ tokens, want string }{
		{"ada short", "line 1: got a token of 5 bytes"}, {"a-token-for-tests-only", "got one that all share"},
		{"ada the-token-of-ada-0001\nada the-token-of-ada-0002", "twice"},
		{"ada the-token-of-ada-0001\nbob the-token-of-ada-0001", "twice"},
		{"ada the-token-of-ada-0001\nthe-token-of-one-more", "want one token"},
		{"a/b the-token-of-ada-0001", "got the name"}, {"", "at least 16"}, {"# none", "got 0 tokens"},
	} {
		h := newHouse(t, approve.Options{TwoPeople: []string{"*"}, Askers: []approve.Asker{approve.HTTP()}})
		if _, err := approve.NewHandler(h.Policy, c.tokens); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.tokens, err, c.want)
		}
	}
	for want, o := range map[string]approve.Options{
		"People[0]: field Name":  {People: []approve.Person{{}}},
		"People[0]: field Risks": {People: []approve.Person{{Name: "ada", Risks: []string{"huge"}}}},
		"People[0]: field Tools": {People: []approve.Person{{Name: "ada", Tools: []string{"["}}}},
		"TwoPeople":              {TwoPeople: []string{""}},
	} {
		if _, err := approve.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestStop ends sessions, agents and tools while calls run and wait, and lets them go on.
func TestStop(t *testing.T) {
	for _, c := range []struct{ kind, name string }{{"session", "s1"}, {"agent", "planner"}, {"tool", "slow"}, {"all", ""}} {
		t.Run(c.kind, func(t *testing.T) {
			var told []approve.Decision
			p, err := approve.New(approve.Options{Askers: []approve.Asker{approve.HTTP()},
				Tell: func(d approve.Decision) { told = append(told, d) }})
			if err != nil {
				t.Fatal(err)
			}
			handler, err := approve.NewHandler(p, people)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(handler)
			defer server.Close()
			began := make(chan struct{}, 1)
			r := new(toolkit.Registry)
			def := toolkit.Definition{Name: "slow"}
			if err := r.Register(toolkit.ToolFunc(def, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
				if string(call.Arguments) == "{}" {
					return toolkit.Result{Output: "done"}, nil
				}
				began <- struct{}{}
				<-ctx.Done()
				return toolkit.Result{}, ctx.Err()
			})); err != nil {
				t.Fatal(err)
			}
			handle := toolkit.Observe(r.Lookup)(middleware.Wrap(r.Handle, p))
			ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s1", Agent: "planner"})
			other := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s2", Agent: "writer"})
			done := make(chan error, 1)
			go func() {
				_, err := handle(ctx, toolkit.Call{Name: "slow", Arguments: json.RawMessage(`{"wait":true}`)})
				done <- err
			}()
			<-began
			body := fmt.Sprintf(`{"kind":%q,"name":%q,"reason":"it digs too deep"}`, c.kind, c.name)
			if code, text, _ := ask(t, "POST", server.URL+"/api/v1/stops", body, asPerson("ada")...); code != 200 ||
				!strings.Contains(text, `"cancelled":1`) {
				t.Fatalf("got %d %s", code, text)
			}
			const want = "by ada"
			if err := <-done; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "it digs too deep") {
				t.Errorf("the call that ran: got %v", err)
			}
			if _, err := handle(ctx, toolkit.Call{Name: "slow", Arguments: json.RawMessage(`{}`)}); toolkit.TypeOf(
				err) != "permission_denied" || !strings.Contains(err.Error(), want) {
				t.Errorf("the next call: got %v", err)
			}
			_, err = handle(other, toolkit.Call{Name: "slow", Arguments: json.RawMessage(`{}`)})
			if stopped := c.kind == "tool" || c.kind == "all"; (err != nil) != stopped {
				t.Errorf("another session's call: got %v", err)
			}
			body = fmt.Sprintf(`{"kind":%q,"name":%q,"resume":true}`, c.kind, c.name)
			if code, text, _ := ask(t, "POST", server.URL+"/api/v1/stops", body, asPerson("grace")...); code != 200 {
				t.Fatalf("got %d %s", code, text)
			}
			if code, _, _ := ask(t, "POST", server.URL+"/api/v1/stops", body, asPerson("grace")...); code != 404 {
				t.Errorf("resumed twice: got %d, want 404", code)
			}
			if _, err := handle(ctx, toolkit.Call{Name: "slow", Arguments: json.RawMessage(`{}`)}); err != nil {
				t.Errorf("resumed: got %v", err)
			}
			if len(told) != 2 || told[0].State != approve.Stopped || told[0].By != "ada" ||
				told[0].Reason != "it digs too deep" || told[1].State != approve.Resumed || told[1].By != "grace" {
				t.Errorf("the audit log got %+v", told)
			}
		})
	}
}

func TestAStopRejectsWhatWaits(t *testing.T) {
	h, _ := asks(t, approve.Options{})
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s1"})
	_, done := h.waits(t, ctx, "pay", `{}`)
	if _, err := h.Stop(approve.Stop{Kind: "session", Name: "s1", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "a person stopped this (session s1, by ada") {
		t.Errorf("got %v", err)
	}
	for _, s := range []approve.Stop{{Kind: "x"}, {Kind: "tool"}, {Kind: "all", Name: "x"}} {
		if _, err := h.Stop(s); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}

// TestDifferencesAreMarked compares a call with the one of that tool that was approved before.
func TestDifferencesAreMarked(t *testing.T) {
	h, url := asks(t, approve.Options{})
	r, done := h.waits(t, t.Context(), "pay", `{"to":"ada","amount":10}`)
	answers(t, url, "ada", r, true)
	<-done
	ctx, cancel := context.WithCancel(t.Context())
	r, done = h.waits(t, ctx, "pay", `{"to":"eve","amount":10}`)
	var changed []string
	v := r.View()
	for _, p := range v.Parts {
		if p.Changed {
			changed = append(changed, p.Text)
		}
	}
	if strings.Join(changed, " ") != "eve" || !strings.Contains(v.Earlier, "by ada") {
		t.Errorf("got %q, compared with %q", changed, v.Earlier)
	}
	cancel()
	<-done
}
