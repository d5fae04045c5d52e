// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/toolscope/toolscope/adapters/adaptertest"
	"github.com/toolscope/toolscope/adapters/anthropic"
)

func TestConformance(t *testing.T) {
	adaptertest.Run(t, adaptertest.Framework{Run: run, Cannot: map[string]string{
		adaptertest.SoftError: "a result of a tool has no mark of failure but a Go error",
		adaptertest.Suspended: "tools cannot wait for input",
		adaptertest.Stream:    "results of tools are whole",
		adaptertest.Unknown:   "the runner answers unknown tools itself and has no hook for it",
		adaptertest.Panic:     "the runner runs tools in goroutines of its own: a panic ends the process",
	}, Deadly: []string{adaptertest.Panic}})
}

// BenchmarkTurn is a turn with one call of a tool, without toolscope and with it.
func BenchmarkTurn(b *testing.B) { adaptertest.Benchmark(b, adaptertest.Framework{Run: run}) }

// run is the tool runner against a server that asks for all calls, then ends.
func run(ctx context.Context, t adaptertest.Turn) ([]adaptertest.Answer, error) {
	var answers []adaptertest.Answer
	var turns atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := map[string]any{
			"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
			"content": []any{}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
		}
		if turns.Add(1) == 1 {
			content := []any{}
			for _, c := range t.Calls {
				content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Arguments})
			}
			message["content"], message["stop_reason"] = content, "tool_use"
		} else {
			answers = given(r)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message)
	}))
	defer model.Close()
	client := sdk.NewClient(option.WithBaseURL(model.URL), option.WithAPIKey("none"), option.WithMaxRetries(0),
		option.WithTracerProvider(t.Provider))
	var all []sdk.BetaTool
	for _, one := range t.Tools {
		if one.Kind != adaptertest.Plain {
			return nil, adaptertest.ErrKind
		}
		all = append(all, anthropic.Define(tool{one}, one.Definition))
	}
	runner := client.Beta.Messages.NewToolRunner(anthropic.Tools(t.Scope, all...), sdk.BetaToolRunnerParams{
		BetaMessageNewParams: sdk.BetaMessageNewParams{
			Model: "m", MaxTokens: 10, Messages: []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("go"))},
		},
	})
	_, err := runner.RunToCompletion(ctx)
	return answers, err
}

// given reads the results that the model was sent.
func given(r *http.Request) (all []adaptertest.Answer) {
	var body struct {
		Messages []struct {
			Content []struct {
				Type    string
				IsError bool `json:"is_error"`
				Content []struct{ Text string }
			}
		}
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Messages) == 0 {
		return nil
	}
	for _, c := range body.Messages[len(body.Messages)-1].Content {
		text := ""
		for _, b := range c.Content {
			text += b.Text
		}
		all = append(all, adaptertest.Answer{Text: text, Failed: c.IsError})
	}
	return all
}

type tool struct{ adaptertest.Tool }

func (t tool) Name() string        { return t.Definition.Name }
func (t tool) Description() string { return t.Definition.Description }
func (t tool) InputSchema() sdk.BetaToolInputSchemaParam {
	var schema sdk.BetaToolInputSchemaParam
	_ = json.Unmarshal(t.Definition.InputSchema, &schema)
	return schema
}

func (t tool) Execute(ctx context.Context, input json.RawMessage) ([]sdk.BetaToolResultBlockParamContentUnion, error) {
	text, err := t.Run(ctx, input)
	if err != nil {
		return nil, err
	}
	return []sdk.BetaToolResultBlockParamContentUnion{{OfText: &sdk.BetaTextBlockParam{Text: text}}}, nil
}
