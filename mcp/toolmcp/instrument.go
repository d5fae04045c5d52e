// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
)

// endpoint takes middlewares for both directions.
type endpoint interface {
	AddSendingMiddleware(middleware ...mcp.Middleware)
	AddReceivingMiddleware(middleware ...mcp.Middleware)
}

// Instrument adds [Client] to what an endpoint sends and [Server] to what it receives. The endpoint is a *mcp.Client or
// a *mcp.Server. Call it once, after the middlewares that are to be inside, and before the endpoint is connected.
func Instrument[E endpoint](e E, scope *toolscope.Scope, o Options) {
	sessions := new(sync.Map)
	e.AddSendingMiddleware(sending(scope, sessions, o))
	e.AddReceivingMiddleware(receiving(scope, sessions, o))
}
