// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package tracing makes an OpenTelemetry span and a metric of every tool call, to
// the letter of the GenAI semantic conventions:
//
//	observer, err := tracing.New(tracing.Options{Content: tracing.ContentOn})
//	execute := toolkit.Observe(registry.Lookup, observer)(registry.Handle)
//
// A call is one span `execute_tool {name}` of kind INTERNAL and one recording of
// gen_ai.execute_tool.duration, with the same start, end and error.type. A call that came by
// a protocol (such as MCP) is the agent's to count, and has no such recording. What else
// happened to it stands in attributes under toolscope.* ([Keys]). An agent's run
// is a span `invoke_agent {name}` ([Observer.StartAgent]), under which its calls
// appear.
//
// # What is guaranteed
//
// The package uses the providers it is given, or your application's global ones, and
// never sets a global. All exported data has passed package redact: call ids, error
// texts, arguments, results. Content is captured only on request, and encoded only
// when the span records. A tool name that is not registered reaches no span name
// and no label. Nothing blocks; a span's processor is your application's choice.
//
// # What is left out
//
// Setting up providers and exporters (package exporters), and statistics (package
// stats).
package tracing
