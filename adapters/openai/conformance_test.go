// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/openai"
	"github.com/toolscope/toolscope/toolkit"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.SoftError: "a message has no mark of failure",
		adaptertest.Suspended: "the loop is the program's own: it ends the turn instead",
		adaptertest.Stream:    "results of tools are whole",
	}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

// run is the loop of a program against a server that asks for all calls, then ends.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var answers []adaptertest.Answer
	var turns atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := map[string]any{"role": "assistant", "content": "done"}
		if turns.Add(1) == 1 {
			calls := []any{}
			for _, c := range t.Calls {
				calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{
					"name": c.Name, "arguments": string(c.Arguments),
				}})
			}
			message = map[string]any{"role": "assistant", "tool_calls": calls}
		} else {
			answers = given(r)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "c", "object": "chat.completion", "choices": []any{map[string]any{"message": message}},
		})
	}))
	defer model.Close()
	client := sdk.NewClient(option.WithBaseURL(model.URL), option.WithAPIKey("none"), option.WithMaxRetries(0))
	params := sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("go")}}
	tools := map[string]adaptertest.Tool{}
	var definitions []toolkit.Definition
	for _, one := range t.Tools {
		if one.Kind != adaptertest.Plain {
			return nil, adaptertest.ErrKind
		}
		f := sdk.FunctionDefinitionParam{Name: one.Definition.Name, Description: sdk.String(one.Definition.Description)}
		if err := json.Unmarshal(one.Definition.InputSchema, &f.Parameters); err != nil {
			return nil, err
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(f))
		definitions = append(definitions, one.Definition)
		tools[one.Definition.Name] = one
	}
	execute, err := openai.Chat(t.Scope, params.Tools, func(ctx context.Context, name string, a json.RawMessage) (string, error) {
		one, ok := tools[name]
		if !ok {
			return "", fmt.Errorf("there is no tool %q", name)
		}
		return one.Run(ctx, a)
	}, definitions...)
	if err != nil {
		return nil, err
	}
	for {
		completion, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return nil, err
		}
		message := completion.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return answers, nil
		}
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			params.Messages = append(params.Messages, execute(ctx, call))
		}
	}
}

// given reads the messages of tools that the model was sent.
func given(r *http.Request) (all []adaptertest.Answer) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return nil
	}
	for _, m := range body.Messages {
		if m.Role == "tool" {
			all = append(all, adaptertest.Answer{Text: m.Content})
		}
	}
	return all
}
