// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
)

// Options say which model is used. Model must be set.
type Options struct {
	Model string
	// OldMaxTokens sends the limit of a reply as max_tokens, for servers that do not know
	// max_completion_tokens. The default is the newer name.
	OldMaxTokens bool
}

// New makes a model of a client. It connects to nothing. The model is safe for
// concurrent use.
func New(client sdk.Client, o Options) (agent.Model, error) {
	if o.Model == "" {
		return nil, errors.New(`openai: Options.Model: got "", want the name of a model`)
	}
	return (&model{client, o}).generate, nil
}

type model struct {
	client  sdk.Client
	options Options
}

// generate asks for one completion.
func (m *model) generate(ctx context.Context, r agent.Request) (agent.Reply, error) {
	params, err := m.params(r)
	if err != nil {
		return agent.Reply{}, err
	}
	completion, err := m.client.Chat.Completions.New(ctx, params)
	if err != nil {
		return agent.Reply{}, err
	}
	if len(completion.Choices) == 0 {
		return agent.Reply{}, errors.New("openai: the server's answer has no choice")
	}
	said := completion.Choices[0].Message
	reply := agent.Reply{
		Text:  said.Content,
		Usage: agent.Usage{Input: int(completion.Usage.PromptTokens), Output: int(completion.Usage.CompletionTokens)},
	}
	reply.Text = cmp.Or(reply.Text, said.Refusal)
	for _, c := range said.ToolCalls {
		reply.Calls = append(reply.Calls,
			toolkit.Call{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
	}
	return reply, nil
}

func (m *model) params(r agent.Request) (sdk.ChatCompletionNewParams, error) {
	params := sdk.ChatCompletionNewParams{Model: m.options.Model}
	if m.options.OldMaxTokens {
		params.MaxTokens = sdk.Int(int64(r.MaxTokens))
	} else {
		params.MaxCompletionTokens = sdk.Int(int64(r.MaxTokens))
	}
	if r.System != "" {
		params.Messages = append(params.Messages, sdk.SystemMessage(r.System))
	}
	for _, message := range r.Messages {
		params.Messages = append(params.Messages, convert(message))
	}
	for _, d := range r.Tools {
		function := sdk.FunctionDefinitionParam{Name: d.Name, Description: sdk.String(d.Description)}
		if len(d.InputSchema) > 0 {
			if err := json.Unmarshal(d.InputSchema, &function.Parameters); err != nil {
				return params, fmt.Errorf("openai: schema of %s: %w", d.Name, err)
			}
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(function))
	}
	if r.Final && len(r.Tools) > 0 {
		params.ToolChoice.OfAuto = sdk.String("none")
	}
	return params, nil
}

func convert(m agent.Message) sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case agent.RoleTool:
		text := m.Text
		if m.Failed { // the form has no place to say so
			text = "failed: " + text
		}
		return sdk.ToolMessage(text, m.CallID)
	case agent.RoleAssistant:
		said := sdk.ChatCompletionAssistantMessageParam{}
		if m.Text != "" {
			said.Content.OfString = sdk.String(m.Text)
		}
		for _, c := range m.Calls {
			said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: c.ID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name,
						Arguments: string(c.Arguments)},
				},
			})
		}
		return sdk.ChatCompletionMessageParamUnion{OfAssistant: &said}
	}
	return sdk.UserMessage(m.Text)
}
