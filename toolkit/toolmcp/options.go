// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/toolkit"
)

// An Option sets something of a middleware. Where one is given twice, the last wins;
// nil options are passed over.
type Option func(*config)

type config struct {
	separate  bool
	listing   bool
	public    bool
	baggage   bool
	noRecover bool
	network   []attribute.KeyValue
	session   func(mcp.Request) *toolkit.Session
}

// WithSeparateSpans gives a tools/call that is made for a call of ours a span of kind
// CLIENT of its own, as service maps need it. By default the call's own span
// (execute_tool) carries the protocol's attributes, and its context travels. It matters to
// [Client].
func WithSeparateSpans() Option { return func(c *config) { c.separate = true } }

// WithListing lets the client list the server's tools by itself when a call names a tool that it does not know,
// at most once a second, and every minute while calls go on. A call of an unknown name waits for the list, at most 2
// seconds; other calls do not wait. Each list is a tools/list request with its own span and metric. By default the
// middleware sends no requests of its own. It matters to [Client].
func WithListing() Option { return func(c *config) { c.listing = true } }

// WithPublicEndpoint starts a new trace for each request and links to the context
// that came with it, instead of trusting it. The default trusts it. It matters to [Server].
func WithPublicEndpoint() Option { return func(c *config) { c.public = true } }

// WithBaggage sends baggage, too. By default it stays, since it may carry users' data to a
// server of somebody else's. It matters to [Client].
func WithBaggage() Option { return func(c *config) { c.baggage = true } }

// WithoutRecover lets the panic of a handler go on, which ends the process, since the
// SDK does not recover either. By default the caller gets a failed result or an internal
// error that says so, without the panic's value. It matters to [Server].
func WithoutRecover() Option { return func(c *config) { c.noRecover = true } }

// WithSession says for whom a server's tool is called, which policies and statistics ask
// for; nil is nobody. By default it is the context's session, else one with the id of the
// protocol's session, else one for each connection. Requests over HTTP without the
// protocol's sessions, as by revision 2026-07-28, are nobody's: policies that remember do
// nothing for them, and the first such call is told to OpenTelemetry's error handler.
// If session panics, the call fails and reaches no tool, unless [WithoutRecover] lets
// the panic go on. It matters to [Server].
func WithSession(session func(mcp.Request) *toolkit.Session) Option {
	return func(c *config) { c.session = session }
}

// WithTransport says by which transport requests travel, which the SDK does not tell a
// middleware: network.transport, and for HTTP server.address and server.port on the
// client. By default a server knows HTTP by its headers, and nothing else is said.
func WithTransport(t mcp.Transport) Option {
	return func(c *config) { c.network = network(t) }
}

func newConfig(options []Option) config {
	var c config
	for _, o := range options {
		if o != nil {
			o(&c)
		}
	}
	return c
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
	pipe        = []attribute.KeyValue{keyTransport.String("pipe")}
	httpNetwork = []attribute.KeyValue{keyTransport.String("tcp"), keyProtocolName.String("http")}
)

// overHTTP describes an endpoint without its path or user.
func overHTTP(endpoint string) []attribute.KeyValue {
	attrs := httpNetwork[:len(httpNetwork):len(httpNetwork)]
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return attrs
	}
	attrs = append(attrs, keyServerAddress.String(u.Hostname()))
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if n, err := strconv.Atoi(port); err == nil {
		attrs = append(attrs, keyServerPort.Int(n))
	}
	return attrs
}
