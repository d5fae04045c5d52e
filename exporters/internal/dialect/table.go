// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dialect

import (
	"encoding/json"
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/exporters/internal/toolspan"
	"github.com/toolscope/toolscope/internal/keys"
)

// A table is one dialect.
type table struct {
	name        string
	kind        attribute.Key // says what a span is
	tool, agent string        // values of kind
	rows        []row
}

// A row is one key of a dialect.
type row struct {
	key  attribute.Key
	from []attribute.Key // the first of them that the span has
	mime bool            // the value is the media type of what from has
}

// maxRows is how many attributes a dialect adds at most, its kind included.
const maxRows = 12

// What toolscope's attributes say, the preferred one first. A failed call has no result by the conventions, so
// its result has a key of toolscope's.
func input() []attribute.Key {
	return []attribute.Key{"gen_ai.tool.call.arguments", "gen_ai.input.messages"}
}

func output() []attribute.Key {
	return []attribute.Key{"gen_ai.tool.call.result", "toolscope.error.result"}
}

func session() []attribute.Key { return []attribute.Key{"session.id", "gen_ai.conversation.id"} }

// tables returns the dialects. Sources, read on 2026-11-22: OpenInference's spec/semantic_conventions.md and the
// converter @arizeai/openinference-genai 0.3.10; Langfuse's packages/shared/src/server/otel; LangSmith's page
// "Trace with OpenTelemetry".
func tables() []table {
	return []table{
		{name: "openinference", kind: "openinference.span.kind", tool: "TOOL", agent: "AGENT", rows: []row{
			{key: "tool.name", from: []attribute.Key{keys.ToolName}},
			{key: "tool.description", from: []attribute.Key{"gen_ai.tool.description"}},
			{key: "tool_call.id", from: []attribute.Key{"gen_ai.tool.call.id"}},
			{key: "tool.parameters", from: []attribute.Key{"gen_ai.tool.call.arguments"}},
			{key: "agent.name", from: []attribute.Key{"gen_ai.agent.name"}},
			{key: "input.value", from: input()},
			{key: "input.mime_type", from: input(), mime: true},
			{key: "output.value", from: output()},
			{key: "output.mime_type", from: output(), mime: true},
			{key: "session.id", from: session()},
		}},
		{name: "langfuse", kind: "langfuse.observation.type", tool: "tool", agent: "agent", rows: []row{
			{key: "langfuse.observation.input", from: input()},
			{key: "langfuse.observation.output", from: output()},
			{key: "langfuse.session.id", from: session()},
		}},
		// langsmith.trace.session_id is not among them: by LangSmith's terms a session is a project. Threads are
		// found by the metadata session_id.
		{name: "langsmith", kind: "langsmith.span.kind", tool: "tool", agent: "chain", rows: []row{
			{key: "gen_ai.prompt", from: input()},
			{key: "gen_ai.completion", from: output()},
			{key: "langsmith.metadata.session_id", from: session()},
		}},
	}
}

// Names returns the names of the dialects.
func Names() (names []string) {
	for _, t := range tables() {
		names = append(names, t.name)
	}
	return names
}

func find(name string) (table, bool) {
	all := tables()
	i := slices.IndexFunc(all, func(t table) bool { return t.name == name })
	if i < 0 {
		return table{}, false
	}
	return all[i], true
}

// addTo adds the dialect's attributes of a span that has those given.
func (t *table) addTo(list, given []attribute.KeyValue, operation string) []attribute.KeyValue {
	kind := t.tool
	if operation == toolspan.InvokeAgent {
		kind = t.agent
	}
	list = addNew(list, t.kind.String(kind))
	for _, r := range t.rows {
		value, ok := first(given, r.from)
		if ok && r.mime {
			value = attribute.StringValue(mediaType(value))
		}
		if ok {
			list = addNew(list, attribute.KeyValue{Key: r.key, Value: value})
		}
	}
	return list
}

// addNew adds a, unless the list has its key.
func addNew(list []attribute.KeyValue, a attribute.KeyValue) []attribute.KeyValue {
	if _, ok := first(list, []attribute.Key{a.Key}); ok {
		return list
	}
	return append(list, a)
}

// first is the value of the first of the keys that the list has.
func first(list []attribute.KeyValue, from []attribute.Key) (attribute.Value, bool) {
	for _, key := range from {
		for i := range list {
			if list[i].Key == key {
				return list[i].Value, true
			}
		}
	}
	return attribute.Value{}, false
}

// mediaType is that of a value: JSON if it is an object or a list.
func mediaType(v attribute.Value) string {
	text := v.AsString()
	if v.Type() != attribute.STRING || len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return "application/json"
	}
	return "text/plain"
}
