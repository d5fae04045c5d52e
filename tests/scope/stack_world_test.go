// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// world is the tools of the stack's tests and what was seen of their runs. What a tool
// does is in the call's arguments, and its answer names the run, so that of every answer it can
// be checked.
type world struct {
	registry toolkit.Registry
	policies []middleware.Policy
	tenants  bool            // answers are shared by the sessions of a tenant
	shares   bool            // a run may be shared by callers, and left by the first of them
	handle   toolkit.Handler // the wrapped registry, for tools that call tools
	serial   atomic.Int64

	mu      sync.Mutex
	runs    map[int64]worldRun
	byID    map[string][]int64 // runs by the id of the call
	asked   map[string]bool    // ids of calls that a person approved
	nested  int                // calls made by tools
	flaky   map[string]int
	problem []string
}

// worldRun is one run of a tool.
type worldRun struct {
	tool, arguments string
	session         toolkit.Session
	inside          time.Duration
	over            bool
}

// worldArguments are what the world's tools take. The application sets Project.
type worldArguments struct {
	Do      string `json:"do"`
	N       int    `json:"n"`
	Project string `json:"project,omitempty"`
}

func (a worldArguments) String() string { return fmt.Sprintf("%s/%d/%s", a.Do, a.N, a.Project) }

const worldSchema = `{"type":"object","properties":{"do":{"type":"string"},"n":{"type":"integer"},` +
	`"project":{"type":"string"}},"required":["do","n"],"additionalProperties":false}`

// The world's tools: what policies ask of a definition differs.
var worldTools = []toolkit.Definition{
	{Name: "read", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No},
	{Name: "set", Idempotent: toolkit.Yes, ReadOnly: toolkit.No, Cost: 2},
	{Name: "write", ReadOnly: toolkit.No},
	{Name: "silent"},
	{Name: "risky", ReadOnly: toolkit.Yes, Risk: toolkit.RiskHigh},
	{Name: "asking", ReadOnly: toolkit.Yes, RequiresApproval: true},
	{Name: "forbidden", ReadOnly: toolkit.Yes},
	{Name: "deaf", ReadOnly: toolkit.Yes},
}

func newWorld() *world {
	w := &world{runs: map[int64]worldRun{}, byID: map[string][]int64{}, asked: map[string]bool{}, flaky: map[string]int{}}
	for _, d := range worldTools {
		d.InputSchema = json.RawMessage(worldSchema)
		if err := w.registry.Register(toolkit.ToolFunc(d, w.run)); err != nil {
			panic(err)
		}
	}
	return w
}

func (w *world) wrong(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problem = append(w.problem, fmt.Sprintf(format, args...))
}

// run is every tool.
func (w *world) run(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	var a worldArguments
	if err := json.Unmarshal(call.Arguments, &a); err != nil {
		call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
		return toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Cause: err}
	}
	var session toolkit.Session
	if s := toolkit.SessionFrom(ctx); s != nil {
		session = *s
	}
	asked := string(call.Arguments)
	defer func() {
		if string(call.Arguments) != asked {
			w.wrong("call %s: the arguments %s became %s while the tool ran", call.ID, asked, call.Arguments)
		}
	}()
	number, began := w.serial.Add(1), time.Now()
	r := worldRun{tool: call.Name, arguments: a.String(), session: session}
	w.mu.Lock()
	w.runs[number] = r
	w.byID[call.ID] = append(w.byID[call.ID], number)
	w.mu.Unlock()
	defer func() {
		r.inside, r.over = time.Since(began), true
		w.mu.Lock()
		w.runs[number] = r
		w.mu.Unlock()
	}()
	res := toolkit.Result{
		Output: fmt.Sprintf("run=%d\n", number),
		Parts:  []toolkit.Part{{Kind: toolkit.PartStructured, JSON: fmt.Appendf(nil, `{"run":%d}`, number)}},
	}
	pause := time.Duration(a.N%7) * time.Millisecond
	if call.Name == "deaf" {
		time.Sleep(20 * pause) // a tool that ignores its context
		return res, nil
	}
	// A timer that is due at once runs in the goroutine that selects it: in a synctest bubble two of them at a time crash the
	// race detector (runtime.(*timer).maybeRunChan, go1.26.8).
	select {
	case <-time.After(max(pause, time.Nanosecond)):
	case <-ctx.Done():
		return toolkit.Result{}, ctx.Err()
	}
	return w.act(ctx, call, a, r, res)
}

func (w *world) act(ctx context.Context, call toolkit.Call, a worldArguments, r worldRun,
	res toolkit.Result) (toolkit.Result, error) {
	switch a.Do {
	case "soft":
		res.Fault = toolkit.ErrTool
	case "error":
		return toolkit.Result{}, errors.New("no luck")
	case "panic":
		panic("as asked")
	case "exit":
		runtime.Goexit()
	case "block":
		<-ctx.Done()
		return toolkit.Result{}, ctx.Err()
	case "suspend":
		res.Suspended = true
	case "big":
		res.Output += strings.Repeat("0123456789", 300)
	case "flaky":
		w.mu.Lock()
		w.flaky[r.tool+r.arguments]++
		n := w.flaky[r.tool+r.arguments]
		w.mu.Unlock()
		if n%3 != 0 {
			return toolkit.Result{}, &toolkit.Error{Kind: "unavailable"}
		}
	case "nest", "same":
		w.nest(ctx, call, a)
	}
	return res, nil
}

// nest calls another tool, or the tool itself, through the same scope.
func (w *world) nest(ctx context.Context, call toolkit.Call, a worldArguments) {
	inner := toolkit.Call{ID: fmt.Sprintf("%s+%d", call.ID, w.serial.Add(1)), Name: "read",
		Arguments: fmt.Appendf(nil, `{"do":"ok","n":%d}`, a.N)}
	depth, _ := ctx.Value(worldDepth{}).(int)
	switch {
	case depth > 1:
		return
	case a.Do == "same":
		inner.Name, inner.Arguments = call.Name, call.Arguments
	case a.N%3 == 0:
		inner.Name = "risky"
	case a.N%3 == 1:
		inner.Name = "forbidden"
	}
	w.mu.Lock()
	w.nested++
	w.mu.Unlock()
	ended := make(chan struct{})
	go func() { // which a tool may end
		defer close(ended)
		defer func() { _ = recover() }()
		res, err := w.handle(context.WithValue(ctx, worldDepth{}, depth+1), inner)
		w.check(ctx, inner, res, err)
	}()
	<-ended
}

type worldDepth struct{}
