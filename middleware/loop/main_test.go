// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// policy makes one; a mistake in the options is the test's.
func policy(t testing.TB, o loop.Options) *loop.Policy {
	t.Helper()
	p, err := loop.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*loop.Policy)
}

// rig is a tool under the policy, whose answers a test chooses, with what is
// recorded of it.
type rig struct {
	t       testing.TB
	handle  toolkit.Handler
	session toolkit.Session
	answer  func(call toolkit.Call) (toolkit.Result, error)
	seen    tooltest.Recorder
	ran     int
}

func newRig(t testing.TB, o loop.Options, inner ...middleware.Policy) *rig {
	r := &rig{t: t, session: toolkit.Session{ID: "s"}}
	r.answer = func(call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "answer to " + string(call.Arguments)}, nil
	}
	tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		r.ran++
		return r.answer(call)
	}
	lookup := func(name string) *toolkit.Definition {
		switch def := (toolkit.Definition{Name: name}); {
		case strings.HasPrefix(name, "read"):
			def.ReadOnly = toolkit.Yes
			return &def
		case strings.HasPrefix(name, "write"):
			def.ReadOnly = toolkit.No
			return &def
		case name == "unknown":
			return nil
		default:
			return &def
		}
	}
	r.handle = toolkit.Observe(lookup, &r.seen)(middleware.Wrap(tool, append(inner, policy(t, o))...))
	return r
}

// call makes one and tells what was said of it: "" or "kind count action [length]".
func (r *rig) call(name, arguments string) (told string, res toolkit.Result, err error) {
	res, err = r.handle(toolkit.WithSession(r.t.Context(), r.session), toolkit.Call{Name: name, Arguments: []byte(arguments)})
	return r.lastTags(), res, err
}

func (r *rig) lastTags() string {
	var told []string
	for _, tag := range r.seen.All()[r.seen.Len()-1].Disposition.Tags {
		told = append(told, tag.Value)
	}
	return strings.Join(told, " ")
}

// calls makes several, given as "tool arguments", and lists what was recorded of each.
func (r *rig) calls(calls ...string) (told []string) {
	for _, c := range calls {
		name, arguments, _ := strings.Cut(c, " ")
		s, _, _ := r.call(name, arguments)
		told = append(told, s)
	}
	return told
}

// numbered is an answer that is never the same twice.
func (r *rig) numbered(toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: "answer number " + strconv.Itoa(r.ran)}, nil
}

func wantTold(t *testing.T, got []string, want ...string) {
	t.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		t.Errorf("\ngot  %s\nwant %s", g, w)
	}
}
