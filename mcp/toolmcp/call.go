// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"slices"

	"github.com/toolscope/toolscope/internal/spans"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// newCaller observes and governs the calls of the tools that lookup knows.
func (w *watcher) newCaller(lookup toolkit.Lookup) caller {
	run := func(ctx context.Context, x *exchange) reply { return x.carryOut(ctx) }
	wrapped, err := toolscope.WrapFunc(w.scope, run, toolkit.Adapter[*exchange, reply]{
		Tools:   lookup,
		Call:    func(x *exchange) toolkit.Call { return toolkit.Call{Name: x.name, Arguments: x.args} },
		Result:  func(r reply, _ error) toolkit.Result { return resultHead(r.res, r.failure()) },
		Content: func(r reply, view *toolkit.Result) { readContent(r.res, view) },
		With:    (*exchange).with,
		Answer: func(x *exchange, res toolkit.Result, _ error) reply {
			return reply{res: x.complete(callToolResult(res)), fault: res.Fault}
		},
		Copy: func(r reply, _ *exchange) reply { return r.clone() },
	})
	if err != nil { // the adapter lacks nothing
		panic(err)
	}
	return wrapped
}

// with returns the exchange with other arguments. It shares the session, and no memory that the
// caller may write to.
func (x *exchange) with(args json.RawMessage) *exchange {
	c := *x
	c.args, c.known = slices.Clone(args), true
	switch p := x.req.GetParams().(type) {
	case *mcp.CallToolParams:
		copied := *p
		copied.Arguments, copied.Meta = c.args, cloneMeta(p.Meta)
		c.req = withParams(x.req, &copied)
	case *mcp.CallToolParamsRaw:
		copied := *p
		copied.Arguments, copied.Meta = c.args, cloneMeta(p.Meta)
		c.req = withParams(x.req, &copied)
	}
	return &c
}

// cloneMeta copies a request's _meta.
func cloneMeta(m mcp.Meta) mcp.Meta {
	if m == nil {
		return nil
	}
	return cloneJSON(map[string]any(m)).(map[string]any)
}

// complete marks a result that no tool gave as one that is complete, which from the
// stateless revision on each result says. The SDK marks what tools give, and lets others
// do so by JSON only.
func (x *exchange) complete(res *mcp.CallToolResult) *mcp.CallToolResult {
	if !x.watcher.server || !x.request.version.MarksResults() {
		return res
	}
	marked := completed
	marked.Meta, marked.Content, marked.StructuredContent, marked.IsError = res.Meta, res.Content, res.StructuredContent, res.IsError
	return &marked
}

var completed = func() (r mcp.CallToolResult) {
	if err := r.UnmarshalJSON([]byte(`{"content":[],"resultType":"complete"}`)); err != nil {
		panic(err)
	}
	return r
}()

// cloneJSON copies what is decoded JSON; other values are the tool's.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for key, value := range v {
			c[key] = cloneJSON(value)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, value := range v {
			c[i] = cloneJSON(value)
		}
		return c
	}
	return v
}

// carryOut sends or handles the call, with the arguments that policies made of it.
func (x *exchange) carryOut(ctx context.Context) (r reply) {
	if x.fault != nil {
		return reply{res: x.complete(callToolResult(toolkit.Failure(x.fault))), fault: x.fault}
	}
	if x.watcher.server && !x.watcher.noRecover {
		defer func() {
			if v := recover(); v != nil {
				fault := &toolkit.PanicError{Value: v, Stack: debug.Stack()}
				r = reply{res: x.complete(callToolResult(toolkit.Failure(fault))), fault: fault}
			}
		}()
	}
	if !x.watcher.server {
		defer x.watcher.sent.removeRequest(x.watcher.sent.noteRequest(ctx))
	}
	res, err := x.next(ctx, methodCallTool, x.outgoing(ctx))
	if r.err = err; err != nil {
		r.fault = x.watcher.recordedError(err)
	}
	var ok bool
	if r.res, ok = res.(*mcp.CallToolResult); !ok {
		r.raw = res
	}
	return r
}

// outgoing is the request as it goes on.
func (x *exchange) outgoing(ctx context.Context) mcp.Request {
	if x.watcher.server {
		params, ok := x.req.GetParams().(*mcp.CallToolParamsRaw)
		if !ok || sameBytes(params.Arguments, x.args) {
			return x.req
		}
		p := *params
		p.Arguments = x.args
		return withParams(x.req, &p)
	}
	p := *x.req.GetParams().(*mcp.CallToolParams) // send has looked
	if x.known && x.args != nil {
		p.Arguments = x.args
	}
	carrier := meta{values: p.Meta, baggage: x.watcher.baggage}
	x.watcher.propagator.Inject(ctx, &carrier)
	p.Meta = carrier.values
	return withParams(x.req, &p)
}

func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || string(a) == string(b))
}

// end is what the protocol says of a call that has ended: see spans.Spec.
func (x *exchange) end(ctx context.Context, e *toolkit.Ended) spans.End {
	w := x.watcher
	st := status{errorType: w.observer.Protocol().ErrorType(e.ErrorType)}
	if answeredWith(e.Err) {
		st = w.statusOf(e.Err, e.ErrorType)
	}
	tool := tracing.UnknownTool
	if e.Info.Tool != nil {
		tool = e.Info.Tool.Name
	}
	l := x.labels(tool, st)
	l.outcome = e.Disposition.Outcome
	w.metrics.record(ctx, e.Duration(), l, w.networkOf(x.request.http))
	w.tellUnscoped(e)
	end := spans.End{Success: st.errorType == "", ErrorType: st.errorType}
	if st.code != "" {
		end.Attributes = []attribute.KeyValue{keys.StatusCode.String(st.code)}
	}
	if x.prior != nil {
		end.Attributes = append(end.Attributes, keys.Round.Int(x.prior.number+1))
	}
	return end
}
