// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// Stop stops and returns how many running calls it cancelled. Its texts are redacted. People need the right to do so
// (see [Person]).
func (p *Policy) Stop(s Stop) (cancelled int, err error) {
	if err := p.options.mayStop(s.By); err != nil {
		return 0, err
	}
	if err := checkStop(s.Kind, s.Name); err != nil {
		return 0, err
	}
	s.At, s.By, s.Reason = time.Now(), p.text(s.By), p.text(s.Reason)
	at := &p.desk.stops
	at.mu.Lock()
	if len(at.all) >= maxStops {
		at.mu.Unlock()
		return 0, fmt.Errorf("approve: %d sessions, agents and tools are stopped, as many as may: want the kind all", maxStops)
	}
	at.all = slices.DeleteFunc(at.all, func(o Stop) bool { return o.Kind == s.Kind && o.Name == s.Name })
	at.all = append(at.all, s)
	at.any.Store(true)
	for r := range at.running {
		if r.stopped == nil && s.matches(r.tool, r.session) {
			r.stopped = &s
			r.cancel(errors.New(s.message()))
			cancelled++
		}
	}
	at.mu.Unlock()
	p.desk.reportStop(&s, Stopped, s.By)
	p.desk.rejectStopped(&s)
	p.rejectShared(&s)
	return cancelled, nil
}

// Resume lets calls pass that [Policy.Stop] stopped. It returns an error if that was not stopped.
func (p *Policy) Resume(kind, name, by string) error {
	if err := p.options.mayStop(by); err != nil {
		return err
	}
	at := &p.desk.stops
	at.mu.Lock()
	i := slices.IndexFunc(at.all, func(o Stop) bool { return o.Kind == kind && o.Name == name })
	if i < 0 {
		at.mu.Unlock()
		return fmt.Errorf("%w: the %.20s %.80q is not stopped", ErrUnknown, kind, name)
	}
	s := at.all[i]
	at.all = slices.Delete(at.all, i, i+1)
	at.any.Store(len(at.all) > 0)
	at.mu.Unlock()
	p.desk.reportStop(&s, Resumed, p.text(by))
	return nil
}

// Stops are what is stopped, the oldest first.
func (p *Policy) Stops() []Stop {
	at := &p.desk.stops
	at.mu.Lock()
	defer at.mu.Unlock()
	return slices.Clone(at.all)
}

// checkStop is an error if there is no such thing to stop.
func checkStop(kind, name string) error {
	switch kind {
	case "session", "agent", "tool":
		if name == "" || len(name) > 1<<10 {
			return fmt.Errorf("approve: Stop.Name: got %d bytes, want the name of the %s", len(name), kind)
		}
		if kind == "tool" && strings.ContainsAny(name, "*?") {
			return fmt.Errorf("approve: Stop.Name: got the pattern %.40q, want the name of one tool, or the kind all", name)
		}
	case "all":
		if name != "" {
			return fmt.Errorf("approve: Stop.Name: got %.40q, want none with the kind all", name)
		}
	default:
		return fmt.Errorf("approve: Stop.Kind: got %.40q, want session, agent, tool or all", kind)
	}
	return nil
}

// refuseStopped refuses a call that a person stopped.
func refuseStopped(call toolkit.Call, s *Stop) (toolkit.Result, error) {
	call.Record.Tag("approval", string(Stopped))
	call.Record.Tag("approval.by", s.By)
	return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: s.message()})
}

// sessionOf is whose call it is.
func sessionOf(ctx context.Context, call toolkit.Call) *toolkit.Session {
	if s := call.Record.Info().Session; s != nil {
		return s
	}
	return toolkit.SessionFrom(ctx)
}

// stoppable is next with calls that [Policy.Stop] cancels, if the policy is served: calls pay for a switch only if a
// person can be at it.
func (p *Policy) stoppable(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if !p.served.Load() {
			return next(ctx, call)
		}
		limited, cancel := context.WithCancelCause(ctx)
		r := &running{tool: call.Name, session: sessionOf(ctx, call), cancel: cancel}
		at := &p.desk.stops
		if s := at.start(r); s != nil {
			cancel(nil)
			return refuseStopped(call, s)
		}
		stream := false
		defer func() {
			at.end(r)
			if !stream { // a stream is read with the context after its call has returned
				cancel(nil)
			}
		}()
		result, err := next(limited, call)
		stream = err == nil && result.Suspended
		if s := at.stoppedBy(r); s != nil {
			call.Record.Tag("approval", string(Stopped))
			call.Record.Tag("approval.by", s.By)
			return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrCanceled, Tool: call.Name, Message: s.message(), Cause: err}
		}
		return result, err
	}
}

// reportStop tells the host of a stop, or of its end.
func (d *desk) reportStop(s *Stop, state State, by string) {
	at := time.Now()
	c := Decision{Request: Request{Trigger: "stop", Reason: s.Reason, Created: at}, State: state, By: by, Decided: at}
	switch s.Kind {
	case "tool":
		c.Tool = s.Name
	case "session":
		c.Session = s.Name
	case "agent":
		c.Agent = s.Name
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reportDecision(c)
}

// rejectStopped closes the open requests that a stop is for, and forgets the approvals that no call used.
func (d *desk) rejectStopped(s *Stop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.open {
		if s.matches(p.tool, p.session) {
			d.close(p, Rejected, Answer{By: s.By, Note: s.message()}, s.At)
		}
	}
}
