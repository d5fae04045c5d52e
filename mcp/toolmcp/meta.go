// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 peers of older revisions send what the newest deprecates, and it is to be seen.

package toolmcp

import (
	"context"
	"maps"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/toolscope/toolscope/tracing"
)

// meta carries trace context in params._meta, by SEP-414 under the propagator's own
// keys, without a prefix.
type meta struct {
	values  map[string]any
	written bool // whether values is a copy, with the context in it
	state   bool // whether it has a new tracestate
	baggage bool // whether baggage may be written
}

var _ propagation.TextMapCarrier = (*meta)(nil)

func (m *meta) Get(key string) string {
	s, _ := m.values[key].(string)
	return s
}

// Set writes a value into a copy of the map, which is made when there is something to write.
// A tracestate that was there belongs to another traceparent than the one that is written.
func (m *meta) Set(key, value string) {
	if key == "baggage" && !m.baggage {
		return
	}
	if !m.written {
		m.written = true
		if m.values = maps.Clone(m.values); m.values == nil {
			m.values = make(map[string]any, 2)
		}
	}
	switch {
	case key == "tracestate":
		m.state = true
	case key == "traceparent" && !m.state:
		delete(m.values, "tracestate")
	}
	m.values[key] = value
}

func (m *meta) Keys() []string {
	keys := make([]string, 0, len(m.values))
	for k := range m.values {
		keys = append(keys, k)
	}
	return keys
}

// propagator is what the observer propagates by; W3C trace context where a host has
// set none, since the protocol names it.
type propagator interface {
	Inject(ctx context.Context, carrier propagation.TextMapCarrier)
	Extract(ctx context.Context, carrier propagation.TextMapCarrier) context.Context
}

func propagatorOf(o *tracing.Observer) propagator {
	if o == nil || o.Protocol().PropagatesNothing() {
		return propagation.TraceContext{}
	}
	return o
}

// inject returns the request with the context in its _meta. Neither the request nor its
// parameters, which may be sent to several peers, are written to.
func (w *watcher) inject(ctx context.Context, method string, req mcp.Request) mcp.Request {
	carrier := meta{baggage: w.baggage}
	carrier.values, _ = metaOf(req)
	w.propagator.Inject(ctx, &carrier)
	if !carrier.written {
		return req
	}
	params := copyParams(method, req.GetParams())
	if params == nil {
		return req
	}
	params.SetMeta(carrier.values)
	return withParams(req, params)
}

// copyParams copies parameters, not what they point to. For nil ones it makes those of
// the method, if the protocol lets them be missing; nil if it cannot.
func copyParams(method string, params mcp.Params) mcp.Params {
	switch p := params.(type) {
	case nil:
		return emptyParams(method)
	case *mcp.CallToolParams:
		if p == nil {
			return nil
		}
		c := *p
		return &c
	}
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Pointer {
		return nil
	}
	if v.IsNil() {
		return emptyParams(method)
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	p, _ := c.Interface().(mcp.Params)
	return p
}

// emptyParams are the parameters of a method that may be called without.
func emptyParams(method string) mcp.Params {
	switch method {
	case "ping":
		return new(mcp.PingParams)
	case methodListTools:
		return new(mcp.ListToolsParams)
	case "prompts/list":
		return new(mcp.ListPromptsParams)
	case "resources/list":
		return new(mcp.ListResourcesParams)
	case "resources/templates/list":
		return new(mcp.ListResourceTemplatesParams)
	case "roots/list":
		return new(mcp.ListRootsParams)
	}
	return nil
}

// withParams is a copy of the request with other parameters; the request itself if
// they are of a type that it cannot hold.
func withParams(req mcp.Request, params mcp.Params) mcp.Request {
	switch r := req.(type) {
	case *mcp.ClientRequest[mcp.Params]:
		return &mcp.ClientRequest[mcp.Params]{Session: r.Session, Params: params}
	case *mcp.ServerRequest[mcp.Params]:
		return &mcp.ServerRequest[mcp.Params]{Session: r.Session, Params: params, Extra: r.Extra}
	case *mcp.CallToolRequest:
		if p, ok := params.(*mcp.CallToolParamsRaw); ok {
			return &mcp.CallToolRequest{Session: r.Session, Params: p, Extra: r.Extra}
		}
		return req
	}
	v := reflect.ValueOf(req)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return req
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	field := c.Elem().FieldByName("Params")
	if p := reflect.ValueOf(params); field.CanSet() && p.Type().AssignableTo(field.Type()) {
		field.Set(p)
		if made, ok := c.Interface().(mcp.Request); ok {
			return made
		}
	}
	return req
}
