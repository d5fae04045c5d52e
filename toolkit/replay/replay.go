// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// A Replayed is what became of a call that was made again.
type Replayed struct {
	*Call
	Sent bool
	Got  toolkit.Result
	Err  error // of the handler
}

// Same reports whether the call was made and ended as it was recorded: in a success or a failure, and with the same
// result if nothing of that was redacted or cut.
func (r *Replayed) Same() bool {
	failed := r.Err != nil || r.Got.Fault != nil
	switch {
	case !r.Sent || !r.Ended || failed != (r.Result.Fault != nil):
		return false
	case failed || r.ResultRemoved:
		return true
	}
	return textOf(r.Got) == textOf(r.Result)
}

// textOf is a result as a recording has it.
func textOf(r toolkit.Result) string {
	text := r.Output
	for i := range r.Parts {
		if text != "" {
			text += "\n"
		}
		text += r.Parts[i].Text + string(r.Parts[i].JSON)
	}
	return text
}

// Replay makes the calls of the session again, one after the other, each in its session. send decides which ones, and may
// complete the arguments of a call that were redacted or cut and set Removed to false: calls with Removed are never
// made. nil is each call but steps, which their calls make again. It ends early when ctx does; what was not made is not
// Sent.
func (s *Session) Replay(ctx context.Context, handler toolkit.Handler, send func(*Call) bool) []Replayed {
	all := make([]Replayed, len(s.Calls))
	for i, c := range s.Calls {
		r := &all[i]
		if r.Call = c; ctx.Err() != nil || !wanted(send, c) || c.Removed {
			continue
		}
		inner := ctx
		if c.Session != (toolkit.Session{}) {
			inner = toolkit.WithSession(ctx, c.Session)
		}
		r.Sent = true
		r.Got, r.Err = handler(inner, c.Call)
	}
	return all
}

func wanted(send func(*Call) bool, c *Call) bool {
	if send == nil {
		return !c.Step
	}
	return send(c)
}

// Answers are the tools and the recorded answers of a session, as a registry. It is safe for concurrent use.
type Answers struct {
	toolkit.Tools
	fingerprint func([]byte) string

	redacted map[string]bool // tools with answers that only fingerprints find

	mu     sync.Mutex
	byCall map[string][]*Call // by tool and arguments, in the order of the session
}

// Answers returns a registry that gives the recorded answers of calls that are no steps. An
// error names a definition in Tools that is wrong.
func (s *Session) Answers() (*Answers, error) {
	tools, err := toolkit.NewTools(s.Tools...)
	if err != nil {
		return nil, err
	}
	a := &Answers{Tools: tools, fingerprint: s.Fingerprint, redacted: map[string]bool{}, byCall: map[string][]*Call{}}
	for _, c := range s.Calls {
		if c.Ended && !c.Step {
			key := keyOf(c.Name, c.Arguments)
			if c.Removed && c.fingerprint != "" {
				key = keyOfPrint(c.Name, c.fingerprint)
				a.redacted[c.Name] = true
			}
			a.byCall[key] = append(a.byCall[key], c)
		}
	}
	return a, nil
}

// keyOf tells calls apart by tool and arguments in any spelling.
func keyOf(tool string, arguments []byte) string {
	if a, ok := identity.Of(arguments, nil, nil); ok {
		arguments = a.AppendCanonical(nil)
	}
	return tool + "\x00" + string(arguments)
}

func keyOfPrint(tool, fingerprint string) string { return tool + "\x00fp:" + fingerprint }

// Handle gives the answers to equal calls in the order of the session, the last one again and again. A call that was not
// recorded fails.
func (a *Answers) Handle(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
	answer := a.takeAnswer(keyOf(call.Name, call.Arguments))
	if answer == nil && a.fingerprint != nil {
		if print := a.fingerprint(call.Arguments); print != "" {
			answer = a.takeAnswer(keyOfPrint(call.Name, print))
		}
	}
	if answer == nil {
		text := fmt.Sprintf("the recording has no answer to this call of %.80q: want the arguments of a recorded call", call.Name)
		if a.redacted[call.Name] {
			text += "; those of some were redacted: their answers are found with the key of the recording's fingerprints " +
				"only (fingerprint.key of its directory)"
		}
		return toolkit.Result{Output: text, Fault: &toolkit.Error{Kind: toolkit.ErrTool, Tool: call.Name, Message: text}}, nil
	}
	return answer.Result, nil
}

func (a *Answers) takeAnswer(key string) *Call {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.byCall[key]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		a.byCall[key] = list[1:]
	}
	return list[0]
}
