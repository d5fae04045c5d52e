// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolmcp watches and governs the Model Context Protocol as
// github.com/modelcontextprotocol/go-sdk speaks it, on both sides, in a line:
//
//	toolmcp.Instrument(server, scope, toolmcp.Options{}) // a *mcp.Server
//	toolmcp.Instrument(client, scope, toolmcp.Options{}) // or a *mcp.Client
//
// or, one direction each,
//
//	client.AddSendingMiddleware(toolmcp.Client(scope, toolmcp.Options{}))
//	server.AddReceivingMiddleware(toolmcp.Server(scope, toolmcp.Options{}))
//
// Every request and notification becomes a span by the OpenTelemetry conventions, of
// kind CLIENT where it is sent and SERVER where it is handled, and one recording of
// mcp.client.operation.duration or mcp.server.operation.duration. The context travels
// in params._meta (SEP-414), so that a trace runs from the agent into the server.
// A tools/call is a call of package toolkit as well: the same span tells its outcome,
// the scope's statistics count it, and the scope's policies govern it.
//
// # What is guaranteed
//
// Without policies the peers get what they would have got: the same results, errors
// and parameters, but for the context in _meta. Parameters are copied before they are
// written to. Whatever leaves has passed package redact. A name that is no listed
// tool's reaches no span name and no label, even if a server answers it with success. A
// handler that panics does not end the process ([Options].NoRecover).
// A session has one goroutine, which waits for its end; a call has none.
//
// # What is left out
//
// jsonrpc.request.id, client.address and network.protocol.version: the SDK shows
// them to no middleware. What it answers itself, before any middleware, is not
// seen: parameters that cannot be decoded, methods it does not know, cancellation.
package toolmcp
