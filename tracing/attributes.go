// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// attributes is a list that is used again, since the span copies it, with the options that
// the span ends with.
//
// What adds to it is not inlined: each attribute that a function makes takes 64 bytes and more
// of its frame. Calls are often made on goroutines of their own, whose stacks are small,
// and to make one larger takes longer than to describe a call.
type attributes struct {
	list  []attribute.KeyValue
	end   [1]trace.SpanEndOption
	stamp stamp
}

//go:noinline
func (a *attributes) text(k attribute.Key, s string) { a.list = append(a.list, k.String(s)) }

//go:noinline
func (a *attributes) number(k attribute.Key, n int) { a.list = append(a.list, k.Int(n)) }

//go:noinline
func (a *attributes) float(k attribute.Key, x float64) { a.list = append(a.list, k.Float64(x)) }

//go:noinline
func (a *attributes) yes(k attribute.Key) { a.list = append(a.list, k.Bool(true)) }

func (a *attributes) seconds(k attribute.Key, d time.Duration) {
	if d > 0 {
		a.float(k, d.Seconds())
	}
}

func (a *attributes) count(k attribute.Key, n int) {
	if n > 0 {
		a.number(k, n)
	}
}

// name is identifier for what other calls have as well.
func (a *attributes) name(o *Observer, k attribute.Key, name string) {
	if name != "" {
		a.text(k, o.names.cleanName(name, o.clean))
	}
}

func (a *attributes) identifier(o *Observer, k attribute.Key, id string) {
	if id != "" {
		a.text(k, o.identifier(id))
	}
}

// describe adds everything but content.
func (o *Observer) describe(a *attributes, e *toolkit.Ended) {
	s := &e.Disposition
	a.text(keyOutcome, s.Outcome.String())
	a.number(keyArgumentsBytes, e.ArgumentsBytes)
	if e.ResultBytes >= 0 {
		a.number(keyResultBytes, e.ResultBytes)
	}
	a.identifier(o, keyToolCallID, e.Call.ID)
	if tool := e.Info.Tool; tool == nil || tool.Name == UnknownTool && e.Call.Name != UnknownTool {
		a.identifier(o, keyRequestedName, e.Call.Name)
	}
	if !e.Ending.CameBack() {
		a.text(keyEnding, e.Ending.String())
	}
	if e.Result.Suspended {
		a.yes(keySuspended)
	}
	a.count(keyAttempts, int(s.Attempts))
	a.count(keyRepeat, int(s.Repeat))
	a.seconds(keyAge, s.Age)
	a.seconds(keyQueue, s.Queue)
	a.seconds(keyApproval, s.Approval)
	a.seconds(keyBackoff, s.Backoff)
	if s.Waited() > 0 || s.Attempts > 1 {
		a.seconds(keyRun, s.Run)
	}
	a.seconds(keyFirstChunk, e.FirstChunk)
	a.count(keyChunks, e.Chunks)
	a.count(keyChunkBytes, e.ChunkBytes)
	if e.Progress > 0 {
		a.float(keyProgress, e.Progress)
	}
	if cost := e.Cost(); cost > 0 {
		a.float(keyCost, cost)
	}
	for _, t := range s.Tags {
		a.tag(o, t)
	}
	if in := e.Info.Session; in != nil {
		a.name(o, keySession, in.ID)
		a.name(o, keyTenant, in.Tenant)
		a.identifier(o, keyBatch, in.Batch)
		a.count(keyTurn, in.Turn)
	}
}
