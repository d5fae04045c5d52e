// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package genkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	adapter "github.com/toolscope/toolscope/adapters/genkit"
)

func TestConformance(t *testing.T) {
	before := otel.GetTracerProvider()
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	adaptertest.Run(t, adaptertest.Framework{Run: run, Provider: provider, Cannot: map[string]string{
		adaptertest.CallID:    "functions get no id of the call",
		adaptertest.SoftError: "a result has no mark of failure",
		adaptertest.Panic:     "genkit runs functions in goroutines of its own: a panic ends the process",
		adaptertest.Unknown:   "an unknown tool ends the run, and there is no hook for it",
		adaptertest.Stream:    "results of tools are whole",
	}, Deadly: []string{adaptertest.Panic}})
}

// provider is OpenTelemetry's SDK as the global provider, since genkit uses nothing else.
func provider(to trace.TracerProvider) trace.TracerProvider {
	sdk := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(repeater{to}))
	otel.SetTracerProvider(sdk)
	return sdk
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

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) {
	adaptertest.Benchmark(b, adaptertest.Framework{Run: run, Provider: provider})
}

// run is genkit's loop with a model that asks for all calls, then ends.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	g := genkit.Init(ctx)
	answers := map[string]adaptertest.Answer{}
	model := genkit.DefineModel(g, "test/model", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true}},
		func(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			message := &ai.Message{Role: ai.RoleModel}
			last := r.Messages[len(r.Messages)-1]
			for _, p := range last.Content {
				if p.IsToolResponse() {
					text, _ := json.Marshal(p.ToolResponse.Output)
					answers[p.ToolResponse.Ref] = adaptertest.Answer{Text: string(text)}
					if plain, ok := p.ToolResponse.Output.(string); ok {
						answers[p.ToolResponse.Ref] = adaptertest.Answer{Text: plain}
					}
				}
			}
			if last.Role != ai.RoleTool {
				for _, c := range t.Calls {
					var input any
					if err := json.Unmarshal(c.Arguments, &input); err != nil {
						return nil, err
					}
					message.Content = append(message.Content,
						ai.NewToolRequestPart(&ai.ToolRequest{Name: c.Name, Ref: c.ID, Input: input}))
				}
			} else {
				message.Content = []*ai.Part{ai.NewTextPart("done")}
			}
			return &ai.ModelResponse{Request: r, Message: message, FinishReason: ai.FinishReasonStop}, nil
		})
	var tools []ai.ToolRef
	for _, one := range t.Tools {
		if one.Kind == adaptertest.Soft || one.Kind == adaptertest.Streams {
			return nil, adaptertest.ErrKind
		}
		var schema map[string]any
		if err := json.Unmarshal(one.Definition.InputSchema, &schema); err != nil {
			return nil, err
		}
		tools = append(tools, genkit.DefineTool(g, one.Definition.Name, one.Definition.Description,
			adapter.Func(t.Scope, one.Definition, function(one)), ai.WithInputSchema(schema)))
	}
	_, err := genkit.Generate(ctx, g, ai.WithModel(model), ai.WithPrompt("go"), ai.WithTools(tools...))
	var all []adaptertest.Answer
	for _, c := range t.Calls {
		if a, ok := answers[c.ID]; ok {
			all = append(all, a)
		}
	}
	return all, err
}

func function(one adaptertest.Tool) ai.ToolFunc[any, string] {
	return func(tc *ai.ToolContext, input any) (string, error) {
		arguments, err := json.Marshal(input)
		if err != nil {
			return "", err
		}
		text, err := one.Run(tc, arguments)
		if err != nil && one.Kind == adaptertest.Suspends {
			return "", tc.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"question": err.Error()}})
		}
		return text, err
	}
}

// TestDefinitionOf shows what is known of a tool that genkit has, and of the name of one.
func TestDefinitionOf(t *testing.T) {
	g := genkit.Init(t.Context())
	type city struct {
		City string `json:"city"`
	}
	made := genkit.DefineTool(g, "weather", "The weather.", func(*ai.ToolContext, city) (string, error) {
		return "", errors.New("unused")
	})
	d, err := adapter.DefinitionOf(made)
	if err != nil || d.Name != "weather" || d.Description != "The weather." || !json.Valid(d.InputSchema) {
		t.Errorf("got %v %q %s, %v", d.Name, d.Description, d.InputSchema, err)
	}
	if d, err := adapter.DefinitionOf(ai.ToolName("x")); err != nil || d.Name != "x" {
		t.Errorf("got %q, %v", fmt.Sprint(d.Name), err)
	}
}
