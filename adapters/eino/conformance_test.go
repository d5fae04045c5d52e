// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package eino_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/eino"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.SoftError: "a result has no mark of failure",
	}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

// run is a tools node in a graph; a model that has asked for all calls is its input.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var all []tool.BaseTool
	for _, one := range t.Tools {
		switch one.Kind {
		case adaptertest.Soft:
			return nil, adaptertest.ErrKind
		case adaptertest.Streams:
			all = append(all, streams{info{one}})
		default:
			all = append(all, whole{info{one}})
		}
	}
	middleware, err := eino.Middleware(ctx, t.Scope, all...)
	if err != nil {
		return nil, err
	}
	node, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{
		Tools: all, ToolCallMiddlewares: []compose.ToolMiddleware{middleware}, UnknownToolsHandler: eino.Unknown(t.Scope),
	})
	if err != nil {
		return nil, err
	}
	message := &schema.Message{Role: schema.Assistant}
	for _, c := range t.Calls {
		message.ToolCalls = append(message.ToolCalls, schema.ToolCall{
			ID: c.ID, Function: schema.FunctionCall{Name: c.Name, Arguments: string(c.Arguments)},
		})
	}
	results, err := node.Invoke(ctx, message)
	var answers []adaptertest.Answer
	for _, r := range results {
		answers = append(answers, adaptertest.Answer{Text: r.Content})
	}
	return answers, err
}

type info struct{ adaptertest.Tool }

func (t info) Info(context.Context) (*schema.ToolInfo, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(t.Definition.InputSchema, &s); err != nil {
		return nil, err
	}
	return &schema.ToolInfo{
		Name: t.Definition.Name, Desc: t.Definition.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(&s),
		Extra: map[string]any{"toolscope": t.Definition},
	}, nil
}

type whole struct{ info }

func (t whole) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	text, err := t.Run(ctx, json.RawMessage(arguments))
	if err != nil && t.Kind == adaptertest.Suspends {
		return "", tool.Interrupt(ctx, err.Error())
	}
	return text, err
}

type streams struct{ info }

func (t streams) StreamableRun(
	ctx context.Context, arguments string, _ ...tool.Option,
) (*schema.StreamReader[string], error) {
	text, err := t.Run(ctx, json.RawMessage(arguments))
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]string{text[:3], text[3:]}), nil
}
