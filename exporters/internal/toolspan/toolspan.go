// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolspan tells which finished spans toolscope recorded as tool calls and agents' runs.
package toolspan

import (
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/internal/keys"
)

// The operations of the spans that toolscope records.
const (
	ExecuteTool = "execute_tool"
	InvokeAgent = "invoke_agent"
)

// scopes is what the names of toolscope's instrumentation scopes begin with.
const scopes = "github.com/toolscope/toolscope/"

// Operation returns the operation of a span that toolscope recorded, or added its attributes to. It is "" for
// all other spans: what they carry has not been redacted by toolscope.
func Operation(s sdktrace.ReadOnlySpan) (operation string) {
	ours := strings.HasPrefix(s.InstrumentationScope().Name, scopes)
	for _, a := range s.Attributes() {
		switch a.Key {
		case keys.Operation:
			operation = a.Value.AsString()
		case keys.Outcome: // a span of a framework that toolscope adopted
			ours = true
		}
	}
	if ours && (operation == ExecuteTool || operation == InvokeAgent) {
		return operation
	}
	return ""
}
