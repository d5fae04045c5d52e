// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
)

// The longest texts of an event, in bytes.
const (
	maxArguments = 4 << 10
	maxText      = 1 << 10
)

var _ toolkit.Observer = (*Log)(nil)

// Begin does nothing.
func (l *Log) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}

// Wants is false: results are not written.
func (l *Log) Wants(context.Context) bool { return false }

// decisions are the first words of the tags that say that something was decided.
var decisions = []string{"permission", "approval", "validation", "loop", "budget", "limit", "breaker", "baseline"}

// decided reports whether a policy had a say in the call.
func decided(s *toolkit.Disposition) bool {
	if s.Outcome == toolkit.OutcomeRefused {
		return true
	}
	for _, t := range s.Tags {
		word, _, _ := strings.Cut(t.Key, ".")
		if slices.Contains(decisions, word) {
			return true
		}
	}
	return false
}

// End writes a call that was decided on.
func (l *Log) End(_ context.Context, e *toolkit.Ended) {
	if !l.options.All && !decided(&e.Disposition) {
		return
	}
	ev := Event{
		Time: e.End, Kind: "call", Tool: l.text(e.Call.Name), CallID: l.text(e.Call.ID), Span: e.Info.Span.String(),
		Outcome: e.Disposition.Outcome.String(), ErrorType: l.types.Export(e.ErrorType),
		ApprovalMS: milliseconds(e.Disposition.Approval), DurationMS: milliseconds(e.Duration()),
	}
	if len(e.Call.Arguments) > 0 {
		sum := sha256.Sum256(e.Call.Arguments)
		ev.SHA256 = hex.EncodeToString(sum[:])
		if !l.options.WithoutArguments {
			shown, _ := l.options.Redactor.ForTool(e.Call.Name).JSONMax(e.Call.Arguments, maxArguments)
			ev.Arguments = string(shown)
		}
	}
	if e.Err != nil {
		ev.Error = l.errorText(e.Call.Name, e.Err)
	}
	if s := e.Info.Session; s != nil {
		ev.Session, ev.Tenant, ev.Agent, ev.Turn = l.text(s.ID), l.text(s.Tenant), l.text(s.Agent), s.Turn
	}
	for _, t := range e.Disposition.Tags {
		if ev.Tags == nil {
			ev.Tags = map[string]string{}
		}
		ev.Tags[l.keys.Export(t.Key)] = l.text(t.Value)
	}
	_ = l.Write(ev) // counted and told
}

// Approval writes a request that was opened or closed: it is the Tell of
// [approve.Options].
func (l *Log) Approval(d approve.Decision) {
	at := d.Decided
	if at.IsZero() {
		at = d.Created
	}
	kind := "approval"
	if d.State == approve.Stopped || d.State == approve.Resumed {
		kind = "stop"
	}
	ev := Event{
		Time: at, Kind: kind, Tool: l.text(d.Tool), CallID: l.text(d.CallID), Session: l.text(d.Session),
		Tenant: l.text(d.Tenant),
		Agent:  l.text(d.Agent), Request: d.ID, Digest: d.Digest, State: string(d.State), Trigger: d.Trigger, Rule: l.text(d.Rule),
		Reason: l.text(d.Reason), By: l.text(d.By), Note: l.text(d.Note),
	}
	if !l.options.WithoutArguments {
		ev.Arguments = d.Arguments
	}
	_ = l.Write(ev) // counted and told
}

func (l *Log) text(s string) string {
	out, _ := l.options.Redactor.TextMax(s, maxText)
	return out
}

// errorText is the text of a tool's error; its own method may panic.
func (l *Log) errorText(tool string, err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "the error's text could not be had: its Error method panicked"
		}
	}()
	text, _ = l.options.Redactor.ForTool(tool).TextMax(err.Error(), maxText)
	return text
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
