// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// check looks whether an answer is one that the tool gave for exactly these arguments, in
// the caller's name. It then writes over it, which must harm no other call.
func (w *world) check(ctx context.Context, call toolkit.Call, res toolkit.Result, err error) {
	if err != nil || res.Output == "" {
		return
	}
	var number, other int64
	if n, _ := fmt.Sscanf(res.Output, "run=%d\n", &number); n == 0 {
		if res.Fault == nil {
			w.wrong("call %s: got the answer %.60q without a fault", call.ID, res.Output)
		}
		return
	}
	if len(res.Parts) != 1 || res.Parts[0].Kind != toolkit.PartStructured {
		w.wrong("call %s: got parts %v", call.ID, res.Parts)
	} else if n, _ := fmt.Sscanf(string(res.Parts[0].JSON), `{"run":%d}`, &other); n == 0 || other != number {
		w.wrong("call %s: text of run %d, parts %.40q", call.ID, number, res.Parts[0].JSON)
	} else {
		copy(res.Parts[0].JSON, "mine now")
		res.Parts[0].Kind = "mine"
	}
	w.mu.Lock()
	r, ok := w.runs[number]
	own := slices.Contains(w.byID[call.ID], number)
	w.mu.Unlock()
	var session toolkit.Session
	if s := toolkit.SessionFrom(ctx); s != nil {
		session = *s
	}
	want := normal(call.Arguments, session)
	switch {
	case !ok:
		w.wrong("call %s: got an answer of a run %d that never was", call.ID, number)
	case r.tool != call.Name || r.arguments != want:
		w.wrong("call %s: %s(%s) got the answer of %s(%s)", call.ID, call.Name, want, r.tool, r.arguments)
	case r.session.Tenant != session.Tenant || r.session.ID != session.ID && !w.tenants:
		w.wrong("call %s: %+v got the answer of %+v", call.ID, session, r.session)
	case session == (toolkit.Session{}) && !own:
		w.wrong("call %s: without a session it got another's answer", call.ID)
	}
}

// normal is what the tool sees of arguments that a model sent: of the right type, with the
// application's project in place of the model's.
func normal(arguments []byte, session toolkit.Session) string {
	var a struct {
		Do string `json:"do"`
		N  any    `json:"n"`
	}
	_ = json.Unmarshal(arguments, &a)
	n := 0
	fmt.Sscan(fmt.Sprint(a.N), &n)
	return worldArguments{a.Do, n, projectOf(session)}.String()
}

func projectOf(s toolkit.Session) string { return "project of " + s.Tenant + "/" + s.ID }

// checkEnded looks at how the calls ended, as their observer saw it.
func (w *world) checkEnded(made int, ended []toolkit.Ended, recorder *stats.Recorder) {
	seen := map[string]bool{}
	outcomes := map[toolkit.Outcome]int{}
	for i := range ended {
		e := &ended[i]
		if seen[e.Call.ID] {
			w.wrong("call %s ended twice", e.Call.ID)
		}
		seen[e.Call.ID] = true
		outcomes[e.Disposition.Outcome]++
		w.checkOne(e)
	}
	if len(ended) != made+w.nested {
		w.wrong("%d calls made and %d by tools, %d ended", made, w.nested, len(ended))
	}
	for id := range w.byID {
		if !seen[id] {
			w.wrong("call %s ran and never ended", id)
		}
	}
	all := recorder.Summary(stats.Window{}).Overall
	got := map[toolkit.Outcome]uint64{
		toolkit.OutcomeExecuted: all.Executed, toolkit.OutcomeCacheHit: all.CacheHits, toolkit.OutcomeCoalesced: all.Coalesced,
		toolkit.OutcomeRepeated: all.Repeated, toolkit.OutcomeRefused: all.Refused,
	}
	for _, o := range toolkit.Outcomes() {
		if got[o] != uint64(outcomes[o]) {
			w.wrong("%v: the observer saw %d, the statistics %d", o, outcomes[o], got[o])
		}
	}
}

// checkOne looks at the runs, times and error of one call.
func (w *world) checkOne(e *toolkit.Ended) {
	id, s := e.Call.ID, e.Disposition
	runs := w.byID[id]
	var inside time.Duration
	over := true
	for _, n := range runs {
		inside += w.runs[n].inside
		over = over && w.runs[n].over
	}
	tags := map[string]string{}
	for _, t := range s.Tags {
		tags[t.Key] = t.Value
	}
	left := e.ErrorType == string(toolkit.ErrCanceled) ||
		e.ErrorType == string(toolkit.ErrTimeout) // a caller that abandoned a shared run
	wrong := func(format string, args ...any) {
		w.wrong("call %s of %s(%s): %v, %s, runs %v, %+v: %s", id, e.Call.Name, e.Call.Arguments, s.Outcome, e.ErrorType,
			runs, s, fmt.Sprintf(format, args...))
	}
	switch s.Outcome {
	case toolkit.OutcomeExecuted:
		if len(runs) != s.Runs() && !(left && w.shares) {
			wrong("want %d runs", s.Runs())
		}
	case toolkit.OutcomeRefused:
		if len(runs) > 0 || e.ErrorType == "" && !e.Result.Suspended {
			wrong("want no run, and an error")
		}
	default:
		if len(runs) > 0 && tags["cache"] != "stale" {
			wrong("want no run")
		}
	}
	if d := w.registry.Lookup(e.Call.Name); d.ReadOnly != toolkit.Yes && d.Idempotent != toolkit.Yes && len(runs) > 1 {
		wrong("ran more than once")
	}
	if s.Run < 0 || s.Queue < 0 || s.Approval < 0 || s.Backoff < 0 || s.Run+s.Waited() > e.Duration() &&
		s.Outcome == toolkit.OutcomeExecuted && !(left && w.shares) {
		wrong("the times do not add up to %v", e.Duration())
	}
	switch {
	case s.Outcome != toolkit.OutcomeExecuted && s.Run > 0:
		wrong("a time inside a tool that did not run")
	case s.Outcome == toolkit.OutcomeExecuted && over && s.Run != inside && !left &&
		(tags["timeout.abandoned"] == "" || s.Run > inside):
		wrong("want %v, the time inside the tool", inside)
	}
	if e.Result.Suspended && len(runs) == 0 {
		wrong("a suspended result of another call")
	}
	if len(runs) == 0 {
		return
	}
	if e.Call.Name == "forbidden" && w.has(middleware.StagePermit) {
		wrong("ran though it is denied")
	}
	if (e.Call.Name == "asking" || e.Call.Name == "risky") && w.has(middleware.StageApprove) && !w.asked[id] {
		wrong("ran without approval")
	}
}

func (w *world) has(place middleware.Stage) bool {
	return slices.ContainsFunc(w.policies, func(p middleware.Policy) bool { return p.Stage() == place })
}
