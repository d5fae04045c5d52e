// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adaptertest

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// A Framework is what an adapter's test tells of its framework.
type Framework struct {
	// Run lets the framework's loop run until its model ends, and returns what the model was given
	// as the answers of t.Calls, in their order. An error of the loop is returned; a panic may pass.
	Run func(ctx context.Context, t Turn) ([]Answer, error)
	// Session is the id of the session that Run's framework has of its own; "" if calls belong to
	// the session of Run's context only.
	Session string
	// Provider makes the provider that the framework insists on. It has to repeat each span that ends with
	// the given one. nil is for frameworks that take any provider.
	Provider func(trace.TracerProvider) trace.TracerProvider
	// Cannot are the rows that the framework cannot pass, with the reason.
	Cannot map[string]string
	// Deadly are rows of Cannot that are not tried, because they end the process.
	Deadly []string
}

// A Turn is one turn of a scripted model: all calls at once, then the end.
type Turn struct {
	// Scope observes and governs the tools; nil runs the framework without toolscope.
	Scope *toolscope.Scope
	// Provider is where the framework's own spans go, if it makes any.
	Provider trace.TracerProvider
	Tools    []Tool
	Calls    []toolkit.Call
}

// A Tool is to be made with the framework's own means.
type Tool struct {
	Definition toolkit.Definition
	// Run is what the tool does.
	Run func(ctx context.Context, arguments json.RawMessage) (string, error)
	// Kind is how the framework is given what Run returns.
	Kind Kind
}

// A Kind is how a tool answers.
type Kind uint8

// The kinds of tools.
const (
	Plain    Kind = iota // the text, or a Go error
	Soft                 // an error of Run becomes a result that says it failed; the framework's form of it
	Suspends             // an error of Run becomes the framework's way to wait for input
	Streams              // the text in two chunks
)

// An Answer is what the model was given for a call.
type Answer struct {
	Text   string
	Failed bool // as the framework says it; false if it has no such mark
}

// The rows of the table.
const (
	CallID     = "call id"
	Parent     = "parent and context"
	Session    = "session"
	Arguments  = "arguments exact"
	Result     = "result unchanged"
	GoError    = "Go error"
	SoftError  = "soft error"
	Panic      = "panic"
	Unknown    = "unknown tool"
	Suspended  = "suspended"
	Parallel   = "parallel calls"
	Stream     = "stream"
	Refused    = "policy refuses"
	Cached     = "policy answers"
	OneSpan    = "one tool span"
	Definition = "definition"
)
