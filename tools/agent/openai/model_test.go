// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tools/agent/openai"
)

// serve gives a client of a server that answers with each of the texts in turn, and keeps what
// it was asked.
func serve(t *testing.T, answers ...string) (sdk.Client, *[]map[string]any) {
	t.Helper()
	var asked []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("got %v for %s", err, r.URL.Path)
		}
		asked = append(asked, request)
		if len(asked) > len(answers) {
			http.Error(w, `{"error":{"message":"the script is over"}}`, http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answers[len(asked)-1])
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0)), &asked
}

const (
	asksForTool = `{"choices":[{"message":{"role":"assistant","content":"let me see","tool_calls":[
  {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\":\"home\"}"}},
  {"id":"c2","type":"function","function":{"name":"break","arguments":"{"}}]}}],"usage":{"prompt_tokens":11,` +
		`"completion_tokens":7}}`
	answersIt = `{"choices":[{"message":{"role":"assistant","content":"the key is on the ` +
		`table"}}],"usage":{"prompt_tokens":20,"completion_tokens":5}}`
)

func TestConversation(t *testing.T) {
	client, asked := serve(t, asksForTool, answersIt)
	model, err := openai.New(client, openai.Options{Model: "small"})
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
	first, err := json.Marshal((*asked)[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"model":"small"`, `"max_completion_tokens":4096`,
		`{"content":"be brief","role":"system"}`, `{"content":"find the key","role":"user"}`,
		`"name":"look","parameters":{"properties":{"at":{"type":"string"}},"type":"object"}`} {
		if !strings.Contains(string(first), want) {
			t.Errorf("got the request %s, want %s in it", first, want)
		}
	}
	second, err := json.Marshal((*asked)[1]["messages"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tool_calls":[{"function":{"arguments":"{\"at\":\"home\"}","name":"look"},` +
		`"id":"c1","type":"function"}`,
		`{"content":"a table at home","role":"tool","tool_call_id":"c1"}`, `"content":"failed: tool \"break\": unknown tool`} {
		if !strings.Contains(string(second), want) {
			t.Errorf("got the messages %s, want %s in them", second, want)
		}
	}
}

func TestRequests(t *testing.T) {
	client, asked := serve(t, answersIt)
	model, err := openai.New(client, openai.Options{Model: "small", OldMaxTokens: true})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := model(t.Context(), agent.Request{
		Messages: []agent.Message{{Role: agent.RoleUser, Text: "hello"}}, Tools: []toolkit.Definition{{Name: "look"}},
		Final: true, MaxTokens: 9,
	})
	if err != nil || reply.Text != "the key is on the table" || reply.Usage != (agent.Usage{Input: 20, Output: 5}) {
		t.Errorf("got %v and %+v", err, reply)
	}
	if got := (*asked)[0]; fmt.Sprintf("%v %v %v", got["max_tokens"], got["tool_choice"],
		got["max_completion_tokens"]) != "9 none <nil>" {
		t.Errorf("got %v", got)
	}
}

func TestErrors(t *testing.T) {
	if _, err := openai.New(sdk.Client{}, openai.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Model") {
		t.Errorf("got %v", err)
	}
	request := agent.Request{Messages: []agent.Message{{Role: agent.RoleUser, Text: "hello"}}, MaxTokens: 9}
	for want, answers := range map[string][]string{"no choice": {`{"choices":[]}`}, "418": nil} {
		client, _ := serve(t, answers...)
		model, err := openai.New(client, openai.Options{Model: "small"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model(t.Context(), request); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	client, _ := serve(t, answersIt)
	model, _ := openai.New(client, openai.Options{Model: "small"})
	request.Tools = []toolkit.Definition{{Name: "look", InputSchema: []byte(`[]`)}}
	if _, err := model(t.Context(), request); err == nil || !strings.Contains(err.Error(), "schema of look") {
		t.Errorf("got %v, want the schema refused", err)
	}
}
