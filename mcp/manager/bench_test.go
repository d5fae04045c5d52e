// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// A pair: the SDK's session by hand, and the same session through the manager.
func BenchmarkCall(b *testing.B) {
	m, err := manager.New(manager.Options{Servers: []manager.Server{newMemory(&mcp.Tool{Name: "t"}).conf("a")}})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close() //nolint:errcheck // it returns none
	ctx := context.Background()
	if err := m.Start(ctx); err != nil {
		b.Fatal(err)
	}
	args := json.RawMessage(`{"text":"hello"}`)
	b.Run("session", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Session("a").CallTool(ctx, &mcp.CallToolParams{Name: "t", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("manager", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Handle(ctx, toolkit.Call{Name: "a__t", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
