// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/revision"
)

// request is what the conventions ask of a request or notification.
type request struct {
	method, prompt, uri string
	sessionID           string
	version             revision.Revision
	http                bool // it came with HTTP headers
}

// describe looks at a request without changing it. known is what is known of its session,
// nil if nothing is.
func (w *watcher) describe(method string, req mcp.Request, known *session) request {
	r := request{method: method}
	switch p := req.GetParams().(type) {
	case *mcp.GetPromptParams:
		if p != nil {
			r.prompt = p.Name
		}
	case *mcp.ReadResourceParams:
		if p != nil {
			r.uri = p.URI
		}
	case *mcp.SubscribeParams:
		if p != nil {
			r.uri = p.URI
		}
	case *mcp.UnsubscribeParams:
		if p != nil {
			r.uri = p.URI
		}
	case *mcp.ResourceUpdatedNotificationParams:
		if p != nil {
			r.uri = p.URI
		}
	case *mcp.CompleteParams:
		if p != nil && p.Ref != nil {
			r.prompt, r.uri = p.Ref.Name, p.Ref.URI
		}
	}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		r.http = true
	}
	if r.version = version(req, known); r.version.HasSessions() {
		r.sessionID = req.GetSession().ID()
	}
	return r
}

// version is the revision of the protocol that a request follows.
func version(req mcp.Request, known *session) revision.Revision {
	if m, ok := metaOf(req); ok {
		if v, ok := m[mcp.MetaKeyProtocolVersion].(string); ok {
			declared := revision.Parse(v)
			if known != nil && known.said.Load() == nil {
				known.said.Store(&declared)
			}
			return declared
		}
	}
	if known != nil {
		if known.version != revision.Unknown {
			return known.version
		}
		if said := known.said.Load(); said != nil {
			return *said
		}
	}
	if ss, ok := req.GetSession().(*mcp.ServerSession); ok { // of a stateless server, which knows it by a header
		if p := ss.InitializeParams(); p != nil {
			return revision.Parse(p.ProtocolVersion)
		}
	}
	return revision.Unknown
}

// metaOf is the _meta of the request's parameters; false if it has none.
func metaOf(req mcp.Request) (map[string]any, bool) {
	params := req.GetParams()
	if isNil(params) {
		return nil, false
	}
	m := params.GetMeta()
	return m, m != nil
}

// attributes are those that samplers see; names and ids are redacted. The slice is not to be
// written to: those of calls share it.
func (w *watcher) attributes(r *request) []attribute.KeyValue {
	if r.method != methodCallTool {
		return w.makeAttributes(r)
	}
	return w.calls.attributesOf(traits{r.sessionID, r.version, r.http}, func() []attribute.KeyValue { return w.makeAttributes(r) })
}

// makeAttributes makes them. There are few, and they are large, so their slice is made to fit.
func (w *watcher) makeAttributes(r *request) []attribute.KeyValue {
	network := w.networkOf(r.http)
	n := 1 + len(network)
	named := [...]struct {
		key   attribute.Key
		value string
	}{{keys.PromptName, r.prompt}, {keys.ResourceURI, r.uri}, {keys.SessionID, r.sessionID},
		{keys.ProtocolVersion, r.version.String()}}
	for i := range named {
		if named[i].value != "" {
			n++
		}
	}
	attrs := append(make([]attribute.KeyValue, 0, n), keys.Method.String(r.method))
	for i := range named {
		if named[i].value != "" {
			attrs = append(attrs, named[i].key.String(w.clean(named[i].value)))
		}
	}
	return append(attrs, network...)
}

// networkOf describes the transport of a request that came by HTTP, or not.
func (w *watcher) networkOf(http bool) []attribute.KeyValue {
	if w.config.network == nil && http {
		return httpNetwork
	}
	return w.config.network
}

// isNil reports whether an interface is nil, or holds a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
