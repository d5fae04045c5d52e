// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openaiagents_test

import (
	"context"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/nlpodyssey/openai-agents-go/memory"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/adapters/openaiagents"
	"github.com/toolscope/toolscope/toolkit"
)

type conversation struct{ memory.Session }

func (conversation) SessionID(context.Context) string { return "s1" }

// TestTools shows what becomes of tools that the model runs, of definitions and of sessions.
func TestTools(t *testing.T) {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	search := agents.NewFunctionTool("search", "Finds pages.", func(_ context.Context, p place) (string, error) {
		return p.City, nil
	})
	d, err := openaiagents.DefinitionOf(search)
	if err != nil || d.Name != "search" || d.Description != "Finds pages." || len(d.InputSchema) == 0 {
		t.Errorf("got %q, %q, %s, %v", d.Name, d.Description, d.InputSchema, err)
	}
	got := openaiagents.Tools(scope, []agents.Tool{agents.WebSearchTool{}, search}, toolkit.Definition{Name: "search"})
	if len(got) != 2 || got[0].ToolName() != (agents.WebSearchTool{}).ToolName() || got[1].ToolName() != "search" {
		t.Errorf("got %v", got)
	}
	value, err := got[1].(agents.FunctionTool).OnInvokeTool(t.Context(), `{"city":"Rome"}`)
	if err != nil || value != "Rome" {
		t.Errorf("called by hand: got %v, %v", value, err)
	}
	if s := openaiagents.Session(t.Context(), conversation{}); s.ID != "s1" {
		t.Errorf("session: got %q", s.ID)
	}
	defer func() {
		if recover() == nil {
			t.Error("a definition of no tool: want a panic")
		}
	}()
	openaiagents.Tools(scope, []agents.Tool{search}, toolkit.Definition{Name: "serch"})
}
