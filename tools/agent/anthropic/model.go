// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
)

// Options say which model is used. Model must be set.
type Options struct {
	Model string
}

// New makes a model of a client. It connects to nothing. The model is safe for
// concurrent use.
func New(client sdk.Client, o Options) (agent.Model, error) {
	if o.Model == "" {
		return nil, errors.New(`anthropic: Options.Model: got "", want the name of a model`)
	}
	return (&model{client, o}).generate, nil
}

type model struct {
	client  sdk.Client
	options Options
}

// generate asks for one message.
func (m *model) generate(ctx context.Context, r agent.Request) (agent.Reply, error) {
	message, err := m.client.Messages.New(ctx, m.params(r))
	if err != nil {
		return agent.Reply{}, err
	}
	u := message.Usage
	reply := agent.Reply{Usage: agent.Usage{
		Input:  int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens),
		Output: int(u.OutputTokens),
	}}
	var text []string
	for _, block := range message.Content {
		switch block.Type {
		case "text":
			text = append(text, block.Text)
		case "tool_use":
			reply.Calls = append(reply.Calls, toolkit.Call{ID: block.ID, Name: block.Name, Arguments: block.Input})
		}
	}
	reply.Text = strings.Join(text, "\n")
	return reply, nil
}

func (m *model) params(r agent.Request) sdk.MessageNewParams {
	params := sdk.MessageNewParams{Model: sdk.Model(m.options.Model), MaxTokens: int64(r.MaxTokens),
		Messages: convert(r.Messages)}
	if r.System != "" {
		params.System = []sdk.TextBlockParam{{Text: r.System}}
	}
	for _, d := range r.Tools {
		schema := d.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		params.Tools = append(params.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name: d.Name, Description: sdk.String(d.Description), InputSchema: param.Override[sdk.ToolInputSchemaParam](schema),
		}})
	}
	if r.Final && len(r.Tools) > 0 {
		params.ToolChoice.OfNone = new(sdk.ToolChoiceNoneParam)
	}
	return params
}

// convert puts what the calls of one message gave into one message, as the API wants it.
func convert(messages []agent.Message) (list []sdk.MessageParam) {
	var results []sdk.ContentBlockParamUnion
	flush := func() {
		if len(results) > 0 {
			list, results = append(list, sdk.NewUserMessage(results...)), nil
		}
	}
	for _, m := range messages {
		if m.Role == agent.RoleTool {
			results = append(results, sdk.NewToolResultBlock(m.CallID, m.Text, m.Failed))
			continue
		}
		flush()
		if m.Role == agent.RoleUser {
			list = append(list, sdk.NewUserMessage(sdk.NewTextBlock(m.Text)))
			continue
		}
		var said []sdk.ContentBlockParamUnion
		if strings.TrimSpace(m.Text) != "" { // the API takes no empty text
			said = append(said, sdk.NewTextBlock(m.Text))
		}
		for _, c := range m.Calls {
			arguments := c.Arguments
			if !json.Valid(arguments) {
				arguments = json.RawMessage("{}")
			}
			said = append(said, sdk.NewToolUseBlock(c.ID, arguments, c.Name))
		}
		list = append(list, sdk.NewAssistantMessage(said...))
	}
	flush()
	return list
}
