// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub_test

import (
	"math/rand/v2"

	"go.opentelemetry.io/otel/attribute"
)

// secret makes up a text that looks like a password.
func secret() string {
	const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	text := make([]byte, 24)
	for i := range text {
		text[i] = letters[rand.IntN(len(letters))]
	}
	return "x7" + string(text)
}

// A plant is an attribute that holds a secret as a library writes it.
type plant struct {
	scope string
	attribute.KeyValue
}

// plants are attributes of all libraries that have a profile, and of some that have none.
func plants(s string) (all []plant) {
	json := `{"user":"kim","password":"` + s + `"}`
	message := `[{"role":"user","parts":[{"type":"tool_call","arguments":{"api_key":"` + s + `"}}]}]`
	add := func(scope string, pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, plant{scope, attribute.String(pairs[i], pairs[i+1])})
		}
	}
	add("gcp.vertex.agent", "gcp.vertex.agent.tool_call_args", json, "gcp.vertex.agent.tool_response", json,
		"gcp.vertex.agent.llm_request", message)
	response := `{"id":"r","choices":[{"message":{"role":"tool","content":"{\"password\":\"` + s + `\"}"}}]}`
	add("trpc.agent.go", "gen_ai.tool.call.arguments", json, "gen_ai.tool.call.result", response,
		"trpc.go.agent.llm_request", message, "trpc.go.agent.llm_response", response,
		"trpc.go.agent.runner.input", json, "trpc.go.agent.runner.output", response,
		"gen_ai.input.messages.otel", message, "gen_ai.workflow.request", json, "gen_ai.workflow.response", response,
		"error.message", "bad password="+s)
	add("genkit-tracer", "genkit:input", json, "genkit:output", `"token=`+s+`"`, "genkit:metadata:context", json)
	add("github.com/anthropics/anthropic-sdk-go", "gen_ai.input.messages", message, "gen_ai.output.messages", message,
		"gen_ai.system_instructions", `[{"content":"the password is `+s+`"}]`, "gen_ai.tool.call.arguments", json,
		"gen_ai.tool.call.result", json, "gen_ai.tool.definitions", json)
	add("go-micro.dev/v6/agent", "agent.event.name", "password: "+s, "agent.error", "bad password="+s, "agent.refusal", json)
	add("github.com/cloudwego/eino-ext/callbacks/apmplus", "input", json, "output", message)
	add("openinference.instrumentation.openai", "input.value", json, "output.value", message,
		"llm.invocation_parameters", `{"api_key":"`+s+`","temperature":0}`, "tool.parameters", json,
		"llm.input_messages.0.message.content", "my password is "+s,
		"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", json, "metadata", json)
	add("opentelemetry.instrumentation.openai", "traceloop.entity.input", json, "traceloop.entity.output", message,
		"gen_ai.prompt.0.content", json, "gen_ai.completion.0.content", "password="+s,
		"gen_ai.completion.0.tool_calls.0.arguments", json, "traceloop.association.properties.api_key", s)
	add("go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp",
		"http.request.header.authorization", "Bearer "+s, "http.request.header.cookie", "sid="+s,
		"http.request.header.x-api-key", s, "http.response.header.set-cookie", "sid="+s+"; Path=/",
		"url.full", "https://kim:"+s+"@example.com/", "url.query", "page=2&token="+s,
		"http.url", "https://example.com/x?sig="+s+"&q=1", "http.target", "/cb?code="+s+"#top",
		"http.request.body", json, "url.fragment", "access_token="+s+"&state=1")
	add("example.com/orders", "db.query.text", "ALTER USER kim PASSWORD '"+s+"'", "password", s, "config", "db_password="+s,
		"error.type", "login: password="+s, "process.command_line", "run --password "+s)
	for _, kv := range []attribute.KeyValue{
		attribute.StringSlice("http.request.header.authorization", []string{"Bearer " + s}),
		attribute.StringSlice("process.command_args", []string{"run", "--password", s}),
		attribute.StringSlice("notes", []string{"a", "password=" + s}),
		{Key: "body", Value: attribute.ByteSliceValue([]byte(json))},
		{Key: "list", Value: attribute.SliceValue(attribute.StringValue("a"), attribute.StringValue(json))},
		{Key: "map", Value: attribute.MapValue(attribute.String("password", s), attribute.Int("n", 1))},
	} {
		all = append(all, plant{"example.com/orders", kv})
	}
	return all
}
