// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/toolkit"
)

// Options configure a middleware. The zero value works.
type Options struct {
	// SeparateSpans gives a tools/call that the application makes for a call of the scope a span of
	// kind CLIENT of its own, as service maps need it. By default the call's own span
	// (execute_tool) carries the protocol's attributes, and its context travels. It matters to
	// [Client].
	SeparateSpans bool
	// Listing lets the client list the server's tools by itself when a call names a tool that it does
	// not know, at most once a second, and every minute while calls go on. A call of an unknown name waits
	// for the list, at most 2 seconds; other calls do not wait. Each list is a tools/list request with its own
	// span and metric. By default the middleware sends no requests of its own. It matters to [Client].
	Listing bool
	// PublicEndpoint starts a new trace for each request and links to the context
	// that came with it. By default that context is trusted, as the parent. It matters to [Server].
	PublicEndpoint bool
	// Baggage sends baggage, too. By default it stays, since it may carry users' data to another
	// party's server. It matters to [Client].
	Baggage bool
	// NoRecover lets the panic of a handler go on, which ends the process, since the
	// SDK does not recover either. By default the caller gets a failed result or an internal
	// error that says so, without the panic's value. It matters to [Server].
	NoRecover bool
	// Session returns the session that a server's tools/call belongs to, which policies and statistics
	// use; a nil session is none. It must be safe for concurrent use.
	//
	// Without it (nil) a call belongs to the context's session, else to one with the id of the
	// protocol's session, else to one for each connection. Requests over HTTP without the
	// protocol's sessions, as by revision 2026-07-28, have none: policies that keep something for a
	// session do nothing for them, and the first such call is reported to OpenTelemetry's error handler.
	// If Session panics, the call fails and reaches no tool, unless NoRecover lets
	// the panic go on. It matters to [Server].
	Session func(mcp.Request) *toolkit.Session
	// Tenant is the tenant of calls without Session and without a session of the context. The default is none. A
	// request over HTTP that has no session has the tenant. It matters to [Server].
	Tenant string
	// Transport is the transport that requests travel by, which the SDK does not tell a
	// middleware. It sets network.transport, and for HTTP server.address and server.port on the
	// client. With nil a server knows HTTP by its headers, and nothing else is recorded.
	Transport mcp.Transport
}

// config is what a middleware keeps of its options.
type config struct {
	separate  bool
	listing   bool
	public    bool
	baggage   bool
	noRecover bool
	network   []attribute.KeyValue
	session   func(mcp.Request) *toolkit.Session
	tenant    string
}

func newConfig(o Options) config {
	return config{
		separate: o.SeparateSpans, public: o.PublicEndpoint, baggage: o.Baggage, noRecover: o.NoRecover,
		network: network(o.Transport), session: o.Session, tenant: o.Tenant, listing: o.Listing,
	}
}

// network describes a transport; nil if it is none of the SDK's, or in memory.
func network(t mcp.Transport) []attribute.KeyValue {
	switch t := t.(type) {
	case *mcp.StdioTransport, *mcp.CommandTransport:
		return pipe
	case *mcp.StreamableClientTransport:
		return overHTTP(t.Endpoint)
	case *mcp.SSEClientTransport:
		return overHTTP(t.Endpoint)
	case *mcp.LoggingTransport:
		return network(t.Transport)
	}
	return nil
}

var (
	pipe        = []attribute.KeyValue{keys.Transport.String("pipe")}
	httpNetwork = []attribute.KeyValue{keys.Transport.String("tcp"), keys.ProtocolName.String("http")}
)

// overHTTP describes an endpoint without its path or user.
func overHTTP(endpoint string) []attribute.KeyValue {
	attrs := httpNetwork[:len(httpNetwork):len(httpNetwork)]
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return attrs
	}
	attrs = append(attrs, keys.ServerAddress.String(u.Hostname()))
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if n, err := strconv.Atoi(port); err == nil {
		attrs = append(attrs, keys.ServerPort.Int(n))
	}
	return attrs
}
