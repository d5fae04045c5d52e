// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"container/list"
	"context"
	"errors"
	"slices"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/retention"
	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// Forget says whose traces are removed from files: the zero value removes nothing, each
// method returns an error. What goes is overwritten where it is, with as many bytes, so that
// programs that have the file open go on appending to it; compressed files are replaced. A run
// that was interrupted is completed by another one. Methods may be called concurrently for
// different files.
//
// Not removed are copies: what a collector, a backend, a backup or the disk itself still has. Logs
// that were redacted name a session as redaction left it, which is what Session has to be.
type Forget struct {
	// Session is the session's id as the files have it.
	Session string
	// Tenant, if it is not "", spares the sessions of that id of other tenants, and those
	// without one.
	Tenant string
	// Call, in the place of Session, is a call's id in a call log or recording, its member call. Its steps
	// (parent_call) go with it. CallLog reads it, and no other method.
	Call string
	// DryRun counts and changes nothing.
	DryRun bool
}

// A ForgetReport is what was found; without DryRun all of it was removed.
type ForgetReport struct {
	Files   int // read
	Removed int // lines, or spans
}

// ErrHeld is in the error of what left spans of a spool that other processes own.
var ErrHeld = spool.ErrHeld

// CallLog removes the session's lines from a file of JSON lines whose member session
// says whose they are: a call log, or a recorded session as
// `toolscope replay` does. They become empty lines. A file whose name ends with .gz is
// read as compressed.
func (f Forget) CallLog(path string) (ForgetReport, error) {
	r, err := retention.Forget(f).CallLog(path)
	return ForgetReport(r), err
}

// Audit removes the session's entries from an audit log and from those set aside next to it
// (audit.Options.MaxBytes). Each becomes an entry with the event "forgotten", the time of
// what it replaces and that of its removal, or an empty line if it was shorter than that: an
// auditor sees that something is missing, when it was, and that it was removed on purpose.
func (f Forget) Audit(path string) (ForgetReport, error) {
	r, err := retention.Forget(f).Audit(path)
	return ForgetReport(r), err
}

// Spans removes the session's spans from the OTLP JSON lines of a directory, compressed or
// not, as [Options].JSONLines writes them: those that name the session, and those of the
// same trace that name no other one, such as a span of an HTTP client within a tool. Files whose
// names end neither with .jsonl nor with .jsonl.gz are passed over.
func (f Forget) Spans(dir string) (ForgetReport, error) {
	r, err := retention.Forget(f).Spans(dir)
	return ForgetReport(r), err
}

// Spool removes the session's spans from the directory of a spool ([Options].SpoolDir). A part that a
// running process owns is left, which is an error; its own [Providers.Forget] removes what it holds.
func (f Forget) Spool(ctx context.Context, dir string) (ForgetReport, error) {
	remove := func() (int, error) { return spool.DeleteSession(ctx, dir, f.Session, f.Tenant) }
	if f.DryRun {
		remove = func() (int, error) { return spool.Session(dir, f.Session, f.Tenant) }
	}
	n, err := remove()
	rejected, rejectedErr := f.forgetRejected(dir)
	return ForgetReport{Files: 1 + rejected.Files, Removed: n + rejected.Removed}, errors.Join(err, rejectedErr)
}

// Forget removes the spans of a session from the ring and the spool and returns how many: see
// [Ring.Forget]. It works on nil.
func (p *Providers) Forget(ctx context.Context, session, tenant string) (removed int, err error) {
	if p == nil {
		return 0, nil
	}
	removed = p.Ring.Forget(session, tenant)
	if p.spool != nil {
		n, err := p.spool.DeleteSession(ctx, session, tenant)
		rejected, rejectedErr := Forget{Session: session, Tenant: tenant}.forgetRejected(p.spoolDir)
		return removed + n + rejected.Removed, errors.Join(err, rejectedErr)
	}
	return removed, nil
}

// Forget removes the spans of a session from the ring: those that name it, and those of the same
// trace that name no other one. It returns how many. The id is as spans have it, after
// redaction. A tenant that is not "" spares the sessions of that id of other tenants. A
// span that ends meanwhile may be kept.
func (r *Ring) Forget(session, tenant string) (removed int) {
	if r == nil || session == "" {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	owner := func(s sdktrace.ReadOnlySpan) (its, unowned bool) { return owned(s, session, tenant) }
	inRing, bytes := forgetIn(r.order, r.traces, owner)
	inHeld, heldBytes := forgetIn(r.held.order, r.held.traces, owner)
	r.held.spans -= inHeld
	r.held.bytes -= heldBytes
	r.spans -= inRing + inHeld
	r.bytes -= bytes + heldBytes
	return inRing + inHeld
}

// forgetIn removes an owner's spans from traces.
func forgetIn(
	order *list.List, traces map[trace.TraceID]*list.Element, owner func(sdktrace.ReadOnlySpan) (its, unowned bool),
) (removed, bytes int) {
	for e := order.Front(); e != nil; {
		next := e.Next()
		t := e.Value.(*kept)
		if slices.ContainsFunc(t.spans, func(s sdktrace.ReadOnlySpan) bool { its, _ := owner(s); return its }) {
			n, size := t.removeIf(func(s sdktrace.ReadOnlySpan) bool { its, unowned := owner(s); return its || unowned })
			removed += n
			bytes += size
			if len(t.spans) == 0 {
				order.Remove(e)
				delete(traces, t.id)
			}
		}
		e = next
	}
	return removed, bytes
}

// owned reports whether a span is the session's, or no session's.
func owned(s sdktrace.ReadOnlySpan, session, tenant string) (its, unowned bool) {
	return retention.Session{ID: session, Tenant: tenant}.Owns(func(yield func(string, string) bool) {
		for _, kv := range s.Attributes() {
			if !yield(string(kv.Key), kv.Value.AsString()) {
				return
			}
		}
	})
}
