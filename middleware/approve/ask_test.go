// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

func newPolicy(t *testing.T, o Options) *Policy {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhetherAPolicyCanAsk(t *testing.T) {
	const token = "a-token-for-tests"
	missing := newTerminal(func() (terminalFile, error) { return nil, errors.New("there is none") })
	present := newTerminal(func() (terminalFile, error) { return closer{}, nil })
	custom := AskerFunc(func(context.Context, Request) (Answer, error) { return Answer{}, nil })
	for name, c := range map[string]struct {
		askers []Asker
		served bool
		want   string // in the error; "" for none
	}{
		"terminal":                {[]Asker{present}, false, ""},
		"no terminal":             {[]Asker{missing}, false, "there is none: want toolscope.Options.ApprovalsToken"},
		"no terminal, served":     {[]Asker{missing}, true, ""},
		"no terminal, custom":     {[]Asker{missing, custom}, false, ""},
		"custom":                  {[]Asker{custom}, false, ""},
		"HTTP":                    {[]Asker{HTTP()}, false, "that nothing serves, want toolscope.Options.ApprovalsToken"},
		"HTTP, served":            {[]Asker{HTTP()}, true, ""},
		"HTTP and a terminal":     {[]Asker{HTTP(), present}, false, "that nothing serves"},
		"HTTP and an application": {[]Asker{HTTP(), External()}, false, "that nothing serves"},
		"application":             {[]Asker{External()}, false, ""},
		"unattended":              {[]Asker{Unattended()}, false, ""},
	} {
		p := newPolicy(t, Options{Askers: c.askers})
		if c.served {
			if _, err := NewHandler(p, token); err != nil {
				t.Fatal(err)
			}
		}
		err := p.CanAsk()
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrCannotAsk) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
		next := newPolicy(t, Options{Askers: c.askers})
		next.Inherit(p)
		if err := next.CanAsk(); (err == nil) != (c.want == "") {
			t.Errorf("%s: the policy that takes its place: got %v", name, err)
		}
	}
	if p := newPolicy(t, Options{Defer: true}); !errors.Is(p.CanAsk(), ErrCannotAsk) {
		t.Error("a policy that defers can ask without being served")
	}
	if _, err := NewHandler(newPolicy(t, Options{Askers: []Asker{Unattended()}}), token); err == nil {
		t.Error("an unattended policy was served")
	}
}

// closer is a terminal that can be closed.
type closer struct{ terminalFile }

func (closer) Close() error { return nil }

// TestAskersThatWait checks that HTTP, External and a served policy wait for Decide, whatever other askers do, and
// that an unattended one refuses at once what no pattern approves.
func TestAskersThatWait(t *testing.T) {
	broken := AskerFunc(func(context.Context, Request) (Answer, error) { return Answer{}, errors.New("broken") })
	for name, c := range map[string]struct {
		askers []Asker
		served bool
		waits  bool
	}{
		"default, served":      {nil, true, true},
		"HTTP":                 {[]Asker{HTTP()}, true, true},
		"HTTP and broken":      {[]Asker{HTTP(), broken}, true, true},
		"broken, served":       {[]Asker{broken}, true, true},
		"application":          {[]Asker{External()}, false, true},
		"application, wrapped": {[]Asker{AskerFunc(External().Ask)}, false, true},
		"unattended":           {[]Asker{Unattended()}, false, false},
		"unattended, wrapped":  {[]Asker{AskerFunc(Unattended().Ask)}, false, false},
		"broken":               {[]Asker{broken}, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, Options{
				Askers: c.askers, Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "test", true },
				Patterns: []Pattern{{Tool: "approved", Approver: "ada"}},
			})
			if c.served {
				if _, err := NewHandler(p, "a-token-for-tests"); err != nil {
					t.Fatal(err)
				}
			}
			handle := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "ran"}, nil })
			if res, err := handle(t.Context(), toolkit.Call{Name: "approved"}); err != nil || res.Output != "ran" {
				t.Errorf("%s: a call that a pattern approves: got %v, %v", name, res, err)
			}
			go func() {
				time.Sleep(time.Second)
				for _, r := range p.Pending() {
					if err := p.Decide(r.ID, r.Digest, Answer{Approved: true, By: "ada"}); err != nil {
						t.Error(err)
					}
				}
			}()
			res, err := handle(t.Context(), toolkit.Call{Name: "x"})
			if c.waits && (err != nil || res.Output != "ran") {
				t.Errorf("%s: got %v, %v for a call that was approved after a second", name, res, err)
			}
			if !c.waits && (!errors.Is(err, toolkit.ErrApprovalDenied) || !strings.Contains(err.Error(), "no person can be asked")) {
				t.Errorf("%s: got %v, %v, want a refusal", name, res, err)
			}
			time.Sleep(2 * time.Second) // the person has gone
		})
	}
}
