// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openaiagents_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/nlpodyssey/openai-agents-go/agents"
	"github.com/nlpodyssey/openai-agents-go/usage"
	"github.com/openai/openai-go/v2/responses"
	"github.com/openai/openai-go/v2/shared/constant"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/openaiagents"
	"github.com/toolscope/toolscope/toolkit"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.SoftError: "a result has no mark of failure",
		adaptertest.Panic:     "the runner runs tools in goroutines of its own: a panic ends the process",
		adaptertest.Unknown:   "an unknown tool ends the run, and there is no hook for it",
		adaptertest.Suspended: "tools cannot wait for input",
		adaptertest.Stream:    "results of tools are whole",
	}, Deadly: []string{adaptertest.Panic}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

// script is a model that asks for all calls, then ends.
type script struct {
	turn    adaptertest.Turn
	answers map[string]adaptertest.Answer
}

func (s *script) GetResponse(_ context.Context, p agents.ModelResponseParams) (*agents.ModelResponse, error) {
	items, _ := p.Input.(agents.InputItems)
	for _, item := range items {
		if o := item.OfFunctionCallOutput; o != nil {
			s.answers[o.CallID] = adaptertest.Answer{Text: o.Output}
		}
	}
	response := &agents.ModelResponse{Usage: usage.NewUsage()}
	if len(s.answers) > 0 {
		response.Output = []agents.TResponseOutputItem{{
			ID: "m", Type: "message", Role: constant.ValueOf[constant.Assistant](), Status: "completed",
			Content: []responses.ResponseOutputMessageContentUnion{{Type: "output_text", Text: "done"}},
		}}
		return response, nil
	}
	for _, c := range s.turn.Calls {
		response.Output = append(response.Output, agents.TResponseOutputItem{
			ID: "f_" + c.ID, CallID: c.ID, Type: "function_call", Name: c.Name, Arguments: string(c.Arguments),
		})
	}
	return response, nil
}

func (*script) StreamResponse(
	context.Context, agents.ModelResponseParams, agents.ModelStreamResponseCallback,
) error {
	return nil
}

// run is the framework's runner with an agent whose model is the script.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var tools []agents.Tool
	var definitions []toolkit.Definition
	for _, one := range t.Tools {
		if one.Kind != adaptertest.Plain {
			return nil, adaptertest.ErrKind
		}
		var schema map[string]any
		if err := json.Unmarshal(one.Definition.InputSchema, &schema); err != nil {
			return nil, err
		}
		definitions = append(definitions, one.Definition)
		tools = append(tools, agents.FunctionTool{
			Name: one.Definition.Name, Description: one.Definition.Description, ParamsJSONSchema: schema,
			OnInvokeTool: func(ctx context.Context, arguments string) (any, error) {
				return one.Run(ctx, json.RawMessage(arguments))
			},
		})
	}
	s := &script{turn: t, answers: map[string]adaptertest.Answer{}}
	a := agents.New("agent").WithModelInstance(s).WithTools(openaiagents.Tools(t.Scope, tools, definitions...)...)
	_, err := agents.Runner{Config: agents.RunConfig{TracingDisabled: true}}.Run(ctx, a, "go")
	var answers []adaptertest.Answer
	for _, c := range t.Calls {
		if a, ok := s.answers[c.ID]; ok {
			answers = append(answers, a)
		}
	}
	return answers, err
}
