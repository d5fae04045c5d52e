// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"fmt"
	"testing"

	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/telemetry/trace"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolscope/toolscope/bench"
)

// scripted is a model that proposes a number of calls, and is done when it has results.
type scripted int

func (scripted) Info() model.Info { return model.Info{Name: "scripted"} }

func (n scripted) GenerateContent(_ context.Context, r *model.Request) (<-chan *model.Response, error) {
	answers := make(chan *model.Response, 1)
	defer close(answers)
	answer := &model.Response{ID: "r", Object: "chat.completion", Model: "scripted", Done: true}
	if r.Messages[len(r.Messages)-1].Role == model.RoleTool {
		answer.Choices = []model.Choice{{Message: model.NewAssistantMessage("done")}}
	} else {
		calls := make([]model.ToolCall, n)
		for i := range calls {
			calls[i] = model.ToolCall{Type: "function", ID: fmt.Sprintf("c%d", i),
				Function: model.FunctionDefinitionParam{Name: bench.ToolName, Arguments: bench.Call.Arguments}}
		}
		answer.Choices = []model.Choice{{Message: model.Message{Role: model.RoleAssistant, ToolCalls: calls}}}
	}
	answers <- answer
	return answers, nil
}

// BenchmarkTRPC is one turn of tRPC-Agent-Go's runner with 1 and 9 calls of the tool, with
// its spans off and on. Its spans cannot be had alone: what they cost for a call is a
// difference of slopes, (on9 - on1 - off9 + off1) / 8.
func BenchmarkTRPC(b *testing.B) {
	ctx := context.Background()
	type output struct {
		Result string `json:"result"`
	}
	for _, calls := range []int{1, 9} {
		t := function.NewFunctionTool(
			func(context.Context, map[string]any) (output, error) { return output{bench.Output}, nil },
			function.WithName(bench.ToolName),
			function.WithDescription("does nothing"),
		)
		r := runner.NewRunner(
			"bench",
			llmagent.New("planner", llmagent.WithModel(scripted(calls)), llmagent.WithTools([]tool.Tool{t})),
		)
		sessions := 0
		for _, spans := range []string{"off", "on"} {
			b.Run(fmt.Sprintf("spans=%s/calls=%d", spans, calls), func(b *testing.B) {
				trace.Tracer = noop.NewTracerProvider().Tracer("trpc")
				if spans == "on" {
					tracers := bench.Tracers(bench.SDKBatcher)
					b.Cleanup(func() { _ = tracers.Shutdown(ctx) })
					trace.Tracer = tracers.Tracer("trpc")
				}
				bench.Measure(b, 1, func() {
					sessions++
					events, err := r.Run(ctx, "u", fmt.Sprint("s", sessions), model.NewUserMessage("go"))
					if err != nil {
						b.Fatal(err)
					}
					for e := range events {
						if e.Error != nil {
							b.Fatal(e.Error)
						}
					}
				})
			})
		}
	}
}
