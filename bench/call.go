// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/toolscope/toolscope/toolkit"
)

// The sizes that calls are made in, in bytes. Goals speak of 300 and 500.
var (
	ArgumentSizes = []int{30, 300, 4 << 10, 64 << 10}
	ResultSizes   = []int{100, 500, 8 << 10, 64 << 10, 1 << 20, 10 << 20}
)

// ToolName is the tool's name, and SpanName what OpenTelemetry's conventions call its span.
const (
	ToolName = "db_query"
	SpanName = "execute_tool " + ToolName
)

// Definition is the tool's: it reads only, so that policies may store, share and retry it.
var Definition = toolkit.Definition{
	Name: ToolName, Description: "Reads rows of a database.", InputSchema: json.RawMessage(schema),
	ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No,
}

// schema is what tools commonly say of arguments: their names and types, a range, a choice of words.
const schema = `{"type": "object", "properties": {
	"query": {"type": "string", "description": "what to look for"},
	"path": {"type": "string"},
	"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20},
	"recursive": {"type": "boolean"},
	"headers": {"type": "object", "additionalProperties": {"type": "string"}},
	"tags": {"type": "array", "items": {"type": "string", "enum": ["alpha", "beta", "gamma"]}},
	"api_key": {"type": "string"},
	"ratio": {"type": "number", "minimum": 0, "maximum": 1},
	"note": {"type": "string"}
}}`

// Lookup finds the tool by its name.
func Lookup(name string) *toolkit.Definition {
	if name == ToolName {
		return &Definition
	}
	return nil
}

// The call that goals speak of: 300 bytes of JSON with two members to redact, and 500
// bytes of text as its result.
var (
	Call = toolkit.Call{ID: "call_01HZX3J7Q8W9E2R4T6Y8U0I1", Name: ToolName, Arguments: Arguments(300)}
	// ArgumentsText is Call.Arguments as a string, for those who need one.
	ArgumentsText = string(Call.Arguments)
	Output        = Text(500)
)

// Context is that of the call: an agent makes it, whose name is an attribute.
var Context = toolkit.WithSession(context.Background(), toolkit.Session{Agent: "planner"})

// Tool answers at once with [Output].
//
//go:noinline
func Tool(context.Context, toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: Output}, nil
}

// fresh counts the calls that FreshCall has made.
var fresh atomic.Uint64

// FreshCall is [Call] with arguments that no call before it had. Safe for concurrent use.
func FreshCall() toolkit.Call {
	call := Call
	args := bytes.Clone(Call.Arguments)
	number(args[:len(args)-len(`"}`)], fresh.Add(1))
	call.Arguments = args
	return call
}

// FreshTool answers at once with [Output] but for a number, which is another each time: a
// model that gets the same answer over and over is in a loop.
func FreshTool(context.Context, toolkit.Call) (toolkit.Result, error) {
	out := []byte(Output)
	number(out, fresh.Add(1))
	return toolkit.Result{Output: string(out)}, nil
}

// number writes ten digits over the end of text.
func number(text []byte, n uint64) {
	for i := len(text) - 1; i >= len(text)-10; i, n = i-1, n/10 {
		text[i] = '0' + byte(n%10)
	}
}

// Answering is a tool that answers at once with out.
func Answering(out string) toolkit.Handler {
	return func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: out}, nil }
}

// Arguments is a JSON object of exactly n bytes, at least 30. From 300 bytes on it has two
// members whose values are secrets: a header and a key. They are put together here, since
// nothing in this repository may look like a secret.
func Arguments(n int) json.RawMessage {
	head, tail := `{"path": "`, `"}`
	if n >= 300 {
		head = `{"query": "SELECT id, name FROM users WHERE city = \"Oslo\" ORDER BY id", "limit": 50, "recursive": true, ` +
			`"headers": {"authorization": "Bearer ` + strings.Repeat("aB3", 7) + `", "accept": "application/json"}, ` +
			`"tags": ["alpha", "beta"], "api_key": "key-` + strings.Repeat("0a1f", 4) + `", "ratio": 0.125, `
		for i := 0; len(head)+200 < n; i++ {
			head += fmt.Sprintf(
				`"row%d": {"id": %d, "name": "alpha beta", "ok": %v, "note": "the quick brown fox jumps over the `+
					`dog"}, `,
				i, i*7919, i%3 == 0,
			)
		}
		head += `"note": "`
	}
	fill := n - len(head) - len(tail)
	if fill < 0 {
		panic(fmt.Sprintf("bench: Arguments: got %d bytes, want at least %d", n, len(head)+len(tail)))
	}
	args := json.RawMessage(head + strings.Repeat("x", fill) + tail)
	if len(args) != n || !json.Valid(args) {
		panic(fmt.Sprintf("bench: Arguments(%d): got %d bytes, valid JSON: %v", n, len(args), json.Valid(args)))
	}
	return args
}

// Text is n bytes of what a tool prints: lines without anything to redact.
func Text(n int) string {
	const row = "row 17: id=42 name=alpha status=ok; "
	return strings.Repeat(row, n/len(row)+1)[:n]
}

// JSONText is a JSON array of about n bytes, as a tool prints it.
func JSONText(n int) string {
	const row = `{"row": 17, "id": 42, "name": "alpha", "status": "ok"},`
	return "[" + strings.TrimSuffix(strings.Repeat(row, max(1, n/len(row))), ",") + "]"
}
