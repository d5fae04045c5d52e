// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package langchain_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/langchain"
	"github.com/toolscope/toolscope/toolkit"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.CallID:     "tools get no id of the call",
		adaptertest.Definition: "tools have no schema",
		adaptertest.SoftError:  "a result has no mark of failure",
		adaptertest.Suspended:  "tools cannot wait for input",
		adaptertest.Stream:     "results of tools are whole",
		adaptertest.Unknown:    "the executor answers unknown tools itself and has no hook for it",
	}})
}

// model is an agent that asks for all calls at once, then ends.
type model struct {
	calls []toolkit.Call
	tools []tools.Tool
	given []adaptertest.Answer
}

func (m *model) Plan(
	_ context.Context, steps []schema.AgentStep, _ map[string]string, _ ...chains.ChainCallOption,
) ([]schema.AgentAction, *schema.AgentFinish, error) {
	if len(steps) > 0 {
		for _, s := range steps {
			m.given = append(m.given, adaptertest.Answer{Text: s.Observation})
		}
		return nil, &schema.AgentFinish{ReturnValues: map[string]any{"output": "done"}}, nil
	}
	var actions []schema.AgentAction
	for _, c := range m.calls {
		actions = append(actions, schema.AgentAction{Tool: c.Name, ToolInput: string(c.Arguments), ToolID: c.ID})
	}
	return actions, nil, nil
}

func (m *model) GetInputKeys() []string  { return []string{"input"} }
func (m *model) GetOutputKeys() []string { return []string{"output"} }
func (m *model) GetTools() []tools.Tool  { return m.tools }

type tool struct{ adaptertest.Tool }

func (t tool) Name() string        { return t.Definition.Name }
func (t tool) Description() string { return t.Definition.Description }
func (t tool) Call(ctx context.Context, input string) (string, error) {
	return t.Run(ctx, json.RawMessage(input))
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var all []tools.Tool
	for _, one := range t.Tools {
		if one.Kind != adaptertest.Plain {
			return nil, adaptertest.ErrKind
		}
		all = append(all, langchain.Define(tool{one}, toolkit.Definition{ReadOnly: one.Definition.ReadOnly}))
	}
	m := &model{calls: t.Calls, tools: langchain.Tools(t.Scope, all...)}
	_, err := agents.NewExecutor(m).Call(ctx, map[string]any{"input": "go"})
	return m.given, err
}
