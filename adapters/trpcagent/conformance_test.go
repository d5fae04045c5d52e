// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package trpcagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/log"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	frameworktrace "trpc.group/trpc-go/trpc-agent-go/telemetry/trace"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/trpcagent"
	"github.com/toolscope/toolscope/toolkit"
)

const session = "session-1"

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Provider: provider, Session: session, Cannot: map[string]string{
		adaptertest.Unknown: "the framework answers unknown tools itself and has no hook for it",
	}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) {
	adaptertest.Benchmark(b, adaptertest.Framework{Run: run, Provider: provider})
}

// provider is OpenTelemetry's SDK as the framework's provider, since spans of the SDK have names.
func provider(to trace.TracerProvider) trace.TracerProvider {
	return sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(repeater{to}))
}

// A repeater repeats spans that end.
type repeater struct{ to trace.TracerProvider }

func (repeater) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (r repeater) OnEnd(s sdktrace.ReadOnlySpan) {
	_, span := r.to.Tracer(s.InstrumentationScope().Name).
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

func (*script) Info() model.Info { return model.Info{Name: "script"} }

func (s *script) GenerateContent(_ context.Context, r *model.Request) (<-chan *model.Response, error) {
	answer := &model.Response{ID: "r", Object: "chat.completion", Model: "script", Done: true}
	message := model.Message{Role: model.RoleAssistant}
	if last := r.Messages[len(r.Messages)-1]; last.Role == model.RoleTool {
		for _, m := range r.Messages {
			if m.Role == model.RoleTool {
				s.answers[m.ToolID] = answerOf(m.Content)
			}
		}
		message.Content = "done"
	} else {
		for _, c := range s.turn.Calls {
			message.ToolCalls = append(message.ToolCalls, model.ToolCall{
				Type: "function", ID: c.ID, Function: model.FunctionDefinitionParam{Name: c.Name, Arguments: c.Arguments},
			})
		}
	}
	answer.Choices = []model.Choice{{Message: message}}
	answers := make(chan *model.Response, 1)
	answers <- answer
	close(answers)
	return answers, nil
}

// answerOf is a result as the model reads it: JSON.
func answerOf(content string) adaptertest.Answer {
	var text string
	if json.Unmarshal([]byte(content), &text) == nil {
		return adaptertest.Answer{Text: text}
	}
	return adaptertest.Answer{Text: content}
}

// quiet is a log of nothing: the framework logs each failure.
var quiet = sync.OnceFunc(func() { log.SetLevel("fatal") })

// run is the framework's runner with an agent whose model is the script.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	quiet()
	frameworktrace.Tracer = t.Provider.Tracer("trpc.agent.go")
	var tools []tool.Tool
	for _, one := range t.Tools {
		made, err := framework(one)
		if err != nil {
			return nil, err
		}
		if made, err = trpcagent.Define(made, one.Definition); err != nil {
			return nil, err
		}
		tools = append(tools, made)
	}
	s := &script{turn: t, answers: map[string]adaptertest.Answer{}}
	a := llmagent.New("agent", llmagent.WithModel(s), llmagent.WithEnableParallelTools(true),
		llmagent.WithTools(trpcagent.Tools(t.Scope, tools...)))
	r := runner.NewRunner("test", a)
	defer r.Close()
	events, err := r.Run(ctx, "kim", session, model.NewUserMessage("go"))
	if err != nil {
		return nil, err
	}
	for e := range events {
		if e.Error != nil && err == nil {
			err = errors.New(e.Error.Message)
		}
	}
	var answers []adaptertest.Answer
	for _, c := range t.Calls {
		if a, ok := s.answers[c.ID]; ok {
			answers = append(answers, a)
		}
	}
	return answers, err
}

// TestDefinitionOf shows that hints of a tool's metadata are kept, and that a tool must have a declaration.
func TestDefinitionOf(t *testing.T) {
	d, err := trpcagent.DefinitionOf(full{})
	if err != nil || d.Name != "search" || d.ReadOnly != toolkit.Yes || d.Destructive != toolkit.Unsaid {
		t.Errorf("got %+v, %v", d, err)
	}
	if _, err := trpcagent.DefinitionOf(nameless{}); err == nil {
		t.Error("no declaration: want an error")
	}
}

type nameless struct{}

func (nameless) Declaration() *tool.Declaration { return nil }

// A failed result says so itself, as those of tools of MCP do.
type failed string

func (failed) RetryResultError() bool { return true }

func framework(one adaptertest.Tool) (tool.Tool, error) {
	var schema tool.Schema
	if err := json.Unmarshal(one.Definition.InputSchema, &schema); err != nil {
		return nil, err
	}
	options := []function.Option{
		function.WithName(one.Definition.Name), function.WithDescription(one.Definition.Description),
		function.WithInputSchema(&schema), function.WithOutputSchema(&tool.Schema{}),
		function.WithLongRunning(one.Kind == adaptertest.Suspends),
	}
	if one.Kind == adaptertest.Streams {
		return function.NewStreamableFunctionTool[json.RawMessage, string](
			func(ctx context.Context, arguments json.RawMessage) (*tool.StreamReader, error) {
				return stream(one.Run(ctx, arguments))
			}, options...), nil
	}
	return function.NewFunctionTool(func(ctx context.Context, arguments json.RawMessage) (any, error) {
		text, err := one.Run(ctx, arguments)
		switch {
		case err != nil && one.Kind == adaptertest.Soft:
			return failed(err.Error()), nil
		case err != nil && one.Kind == adaptertest.Suspends:
			return nil, nil
		case err != nil:
			return nil, err
		}
		return text, nil
	}, options...), nil
}

// stream is a text in two chunks.
func stream(text string, err error) (*tool.StreamReader, error) {
	if err != nil {
		return nil, err
	}
	s := tool.NewStream(2)
	s.Writer.Send(tool.StreamChunk{Content: text[:len(text)/2]}, nil)
	s.Writer.Send(tool.StreamChunk{Content: text[len(text)/2:]}, nil)
	s.Writer.Close()
	return s.Reader, nil
}
