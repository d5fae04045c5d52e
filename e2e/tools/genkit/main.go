// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command genkit is an agent of genkit with a scripted model, for the end-to-end test of adapters/genkit. It
// puts the secrets of a seed into arguments, results, errors, headers and spans of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	adapter "github.com/toolscope/toolscope/adapters/genkit"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
)

type input struct {
	Text string `json:"text"`
}

type output struct {
	Echo string `json:"echo"`
}

func main() {
	seed := flag.Uint64("seed", 0, "of the secrets")
	flag.Parse()
	if err := run(context.Background(), canary.Secrets(*seed)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, secrets []canary.Secret) error {
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "genkit-agent", Globals: true})
	if err != nil {
		return err
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		return err
	}
	g := genkit.Init(ctx)
	genkit.DefineModel(g, "script/model", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true}},
		func(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			return &ai.ModelResponse{Request: r, Message: next(r, secrets)}, nil
		})
	tool := genkit.DefineTool(g, "echo", "Returns what it is given.",
		adapter.Func(scope, toolkit.Definition{Name: "echo"}, echo))
	_, err = genkit.Generate(ctx, g, ai.WithModelName("script/model"), ai.WithTools(tool),
		ai.WithPrompt("%s", secrets[0].Text))
	if err != nil {
		return err
	}
	for i, s := range secrets { // a run would end with the tool's error
		name := fmt.Sprint("fail_", i)
		failing := genkit.DefineTool(g, name, "Fails.", adapter.Func(scope, toolkit.Definition{Name: name},
			func(*ai.ToolContext, input) (output, error) { return output{}, errors.New("refused: " + s.Text) }))
		if _, err := failing.RunRaw(ctx, map[string]any{"text": s.Text}); err == nil {
			return errors.New("a tool that fails has succeeded")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return errors.Join(scope.Shutdown(ctx), providers.Shutdown(ctx))
}

// next asks for one call with each secret, then ends.
func next(r *ai.ModelRequest, secrets []canary.Secret) *ai.Message {
	if r.Messages[len(r.Messages)-1].Role == ai.RoleTool {
		return ai.NewModelTextMessage("done")
	}
	message := &ai.Message{Role: ai.RoleModel}
	for i, s := range secrets {
		message.Content = append(message.Content, ai.NewToolRequestPart(&ai.ToolRequest{
			Name: "echo", Ref: fmt.Sprint("call_", i), Input: map[string]any{"text": s.Text},
		}))
	}
	return message
}

// echo makes a span of the application, as a client of HTTP does.
func echo(tc *ai.ToolContext, in input) (output, error) {
	_, span := otel.Tracer("example.com/client").Start(tc, "GET", trace.WithSpanKind(trace.SpanKindClient))
	span.SetAttributes(attribute.String("note", in.Text), attribute.StringSlice("lines", []string{in.Text}))
	span.AddEvent("sent", trace.WithAttributes(attribute.String("body", in.Text)))
	span.RecordError(errors.New(in.Text))
	span.SetStatus(codes.Error, in.Text)
	span.End()
	return output{in.Text}, nil
}
