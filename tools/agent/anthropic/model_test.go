// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package anthropic_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/agent/anthropic"
)

// serve gives a client of a server that answers with each of the texts in turn, and keeps what
// it was asked.
func serve(t *testing.T, answers ...string) (sdk.Client, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/messages" {
			t.Errorf("got %v for %s", err, r.URL.Path)
		}
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		text, err := json.Marshal(request) // members in order
		if err != nil {
			t.Error(err)
		}
		asked = append(asked, string(text))
		w.Header().Set("Content-Type", "application/json")
		if len(asked) > len(answers) {
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"the script is over"}}`)
			return
		}
		io.WriteString(w, answers[len(asked)-1])
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"), option.WithMaxRetries(0)), &asked
}

const (
	asksForTool = `{"type":"message","role":"assistant","content":[{"type":"text","text":"let me see"},
  {"type":"tool_use","id":"c1","name":"look","input":{"at":"home"}},{"type":"tool_use","id":"c2","name":"break","input":{}}],
  "stop_reason":"tool_use","usage":{"input_tokens":9,"cache_read_input_tokens":2,"output_tokens":7}}`
	answersIt = `{"type":"message","role":"assistant","content":[{"type":"text","text":"the key is on the ` +
		`table"}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":5}}`
)

func TestConversation(t *testing.T) {
	client, asked := serve(t, asksForTool, answersIt)
	model, err := anthropic.New(client, anthropic.Options{Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	delegate, err := agent.New(model, agent.Options{Handler: registry.Handle, Tools: registry, Instructions: "be brief"})
	if err != nil {
		t.Fatal(err)
	}
	look := toolkit.NewTool(toolkit.Definition{
		Name: "look", Description: "Looks around.",
		InputSchema: []byte(`{"type":"object","properties":{"at":{"type":"string"}}}`),
	}, func(_ context.Context, in struct{ At string }) (string, error) { return "a table at " + in.At, nil })
	if err := registry.Register(delegate, look); err != nil {
		t.Fatal(err)
	}
	res := registry.Execute(t.Context(),
		toolkit.Call{Name: "agent_delegate", Arguments: []byte(`{"tasks":["find the key"]}`)}).Result
	if want := "done (turns 2, calls 2, of which 1 failed, tokens 43)\nthe key is on the table"; res.Fault != nil ||
		!strings.Contains(res.Output, want) {
		t.Errorf("got %v and %s, want %q in it", res.Fault, res.Output, want)
	}
	for i, wanted := range [][]string{
		{`"model":"small"`, `"max_tokens":4096`, `"system":[{"text":"be brief","type":"text"}]`, `"text":"find the key"`,
			`{"description":"Looks ` +
				`around.","input_schema":{"properties":{"at":{"type":"string"}},"type":"object"},"name":"look"}`},
		{`{"text":"let me see","type":"text"},{"id":"c1","input":{"at":"home"},"name":"look","type":"tool_use"}`,
			`"tool_use_id":"c1"`, `"a table at home"`, `"is_error":true`},
	} {
		for _, want := range wanted {
			if !strings.Contains((*asked)[i], want) {
				t.Errorf("got request %d %s, want %s in it", i+1, (*asked)[i], want)
			}
		}
	}
}

func TestRequests(t *testing.T) {
	client, asked := serve(t, answersIt)
	model, err := anthropic.New(client, anthropic.Options{Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := model(t.Context(), agent.Request{
		Messages: []agent.Message{
			{Role: agent.RoleUser, Text: "hello"},
			{Role: agent.RoleAssistant, Calls: []toolkit.Call{{ID: "c1", Name: "look", Arguments: []byte("{")}}},
			{Role: agent.RoleTool, CallID: "c1", Text: "broken"},
		},
		Tools: []toolkit.Definition{{Name: "look"}}, Final: true, MaxTokens: 9,
	})
	if err != nil || reply.Text != "the key is on the table" || reply.Usage != (agent.Usage{Input: 20, Output: 5}) {
		t.Errorf("got %v and %+v", err, reply)
	}
	for _, want := range []string{`"max_tokens":9`, `"tool_choice":{"type":"none"}`, `"input":{}`,
		`"input_schema":{"type":"object"}`} {
		if !strings.Contains((*asked)[0], want) {
			t.Errorf("got %s, want %s in it", (*asked)[0], want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := anthropic.New(sdk.Client{}, anthropic.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Model") {
		t.Errorf("got %v", err)
	}
	client, _ := serve(t)
	model, err := anthropic.New(client, anthropic.Options{Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model(t.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hello"}}, MaxTokens: 9})
	if err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("got %v, want the server's answer in it", err)
	}
}
