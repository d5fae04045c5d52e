// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
)

// An Endpoint takes middlewares for both directions: a *mcp.Client or a *mcp.Server.
type Endpoint interface {
	AddSendingMiddleware(middleware ...mcp.Middleware)
	AddReceivingMiddleware(middleware ...mcp.Middleware)
}

var (
	_ Endpoint = (*mcp.Client)(nil)
	_ Endpoint = (*mcp.Server)(nil)
)

// Instrument adds [Client] to what an endpoint sends and [Server] to what it receives. Call
// it once, after the middlewares that shall stand inside, and before the endpoint is
// connected.
func Instrument(e Endpoint, scope *toolscope.Scope, o Options) {
	sessions := new(sync.Map)
	e.AddSendingMiddleware(sending(scope, sessions, o))
	e.AddReceivingMiddleware(receiving(scope, sessions, o))
}
