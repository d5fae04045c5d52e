// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/adk"
)

const session = "session-1"

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Provider: provider, Session: session, Cannot: map[string]string{
		adaptertest.Panic:  "functiontool makes an error of a panic before toolscope sees it",
		adaptertest.Stream: "tools that stream are for live sessions and stay as they are",
	}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) {
	adaptertest.Benchmark(b, adaptertest.Framework{Run: run, Provider: provider})
}

// ADK keeps the first provider that was made global.
var (
	target atomic.Pointer[trace.TracerProvider]
	sdk    = sync.OnceValue(func() *sdktrace.TracerProvider {
		p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(repeater{}))
		otel.SetTracerProvider(p)
		return p
	})
)

func provider(to trace.TracerProvider) trace.TracerProvider {
	target.Store(&to)
	return sdk()
}

// A repeater repeats spans that end.
type repeater struct{}

func (repeater) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (repeater) OnEnd(s sdktrace.ReadOnlySpan) {
	_, span := (*target.Load()).Tracer(s.InstrumentationScope().Name).
		Start(context.Background(), s.Name(), trace.WithAttributes(s.Attributes()...))
	span.End()
}
func (repeater) ForceFlush(context.Context) error { return nil }
func (repeater) Shutdown(context.Context) error   { return nil }

// script is a model that asks for all calls, then ends.
type script struct {
	turn    adaptertest.Turn
	answers map[string]adaptertest.Answer
}

func (*script) Name() string { return "script" }

func (s *script) GenerateContent(_ context.Context, r *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		content := &genai.Content{Role: "model"}
		for _, p := range r.Contents[len(r.Contents)-1].Parts {
			if f := p.FunctionResponse; f != nil {
				s.answers[f.ID] = answerOf(f)
			}
		}
		if len(s.answers) == 0 {
			for _, c := range s.turn.Calls {
				var args map[string]any
				if err := json.Unmarshal(c.Arguments, &args); err != nil {
					yield(nil, err)
					return
				}
				content.Parts = append(content.Parts, &genai.Part{FunctionCall: &genai.FunctionCall{ID: c.ID, Name: c.Name, Args: args}})
			}
		} else {
			content.Parts = []*genai.Part{{Text: "done"}}
		}
		yield(&model.LLMResponse{Content: content, TurnComplete: true}, nil)
	}
}

func answerOf(f *genai.FunctionResponse) adaptertest.Answer {
	if text, ok := f.Response["result"].(string); ok {
		return adaptertest.Answer{Text: text}
	}
	if text, ok := f.Response["error"].(string); ok {
		return adaptertest.Answer{Text: text, Failed: true}
	}
	return adaptertest.Answer{Text: fmt.Sprint(f.Response)}
}

// run is ADK's runner with an agent whose model is the script.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var tools []tool.Tool
	for _, one := range t.Tools {
		if one.Kind == adaptertest.Streams {
			return nil, adaptertest.ErrKind
		}
		made, err := function(one)
		if err != nil {
			return nil, err
		}
		tools = append(tools, adk.Define(made, one.Definition))
	}
	llm := &script{turn: t, answers: map[string]adaptertest.Answer{}}
	config := llmagent.Config{Name: "agent", Model: llm, Tools: adk.Tools(t.Scope, tools...)}
	if t.Scope != nil {
		config.OnToolErrorCallbacks = []llmagent.OnToolErrorCallback{adk.Unknown(t.Scope)}
	}
	a, err := llmagent.New(config)
	if err != nil {
		return nil, err
	}
	r, err := runner.NewInMemory("test", a)
	if err != nil {
		return nil, err
	}
	for _, err := range r.Run(ctx, "kim", session, genai.NewContentFromText("go", "user"), agent.RunConfig{}) {
		if err != nil {
			return nil, err
		}
	}
	var answers []adaptertest.Answer
	for _, c := range t.Calls {
		if a, ok := llm.answers[c.ID]; ok {
			answers = append(answers, a)
		}
	}
	return answers, nil
}

func function(one adaptertest.Tool) (tool.Tool, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(one.Definition.InputSchema, &schema); err != nil {
		return nil, err
	}
	config := functiontool.Config{
		Name: one.Definition.Name, Description: one.Definition.Description, InputSchema: &schema,
	}
	return functiontool.New(config, func(ctx agent.Context, args map[string]any) (map[string]any, error) {
		arguments, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		text, err := one.Run(ctx, arguments)
		switch {
		case err != nil && one.Kind == adaptertest.Soft:
			return map[string]any{"error": err.Error()}, nil
		case err != nil && one.Kind == adaptertest.Suspends:
			if err := ctx.RequestConfirmation(err.Error(), nil); err != nil {
				return nil, err
			}
			return nil, tool.ErrConfirmationRequired
		case err != nil:
			return nil, err
		}
		return map[string]any{"result": text}, nil
	})
}
