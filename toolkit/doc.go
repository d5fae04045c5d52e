// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolkit is the contract between an agent's tools and what watches or
// governs them: a [Call] travels inward through [Handler]s and [Middleware]s to
// a [Tool], a [Result] travels back, and [Observer]s see how it began and
// how it ended.
//
//	registry := new(toolkit.Registry)
//	err := registry.Register(toolkit.NewTool(toolkit.Definition{Name: "add", Description: "Adds two numbers."}, add))
//	execute := toolkit.Observe(registry.Lookup, observer)(registry.Handle)
//
// A registry that exists already keeps its own types: [ObserveFunc] and [GovernFunc]
// wrap its execute function and give back the same signature. Frameworks with
// before/after callbacks use [Begin] and [Running.End], on which the middleware
// form is built as well.
//
// # What is guaranteed
//
// Observing changes nothing: the same result value, the same error, the same
// panic, [runtime.Goexit] included. A panic of an observer is swallowed and
// counted. An observed call starts no goroutine, and allocates
// nothing that its observers do not allocate.
//
// Formatting a [Call], a [Result], a [Part], an [Answer], an [Ended] or an [Error]
// with fmt or slog prints names, sizes and kinds, never arguments or outputs.
// encoding/json writes all: that is their wire form. So does a verb that go vet
// refuses (%p, %w outside fmt.Errorf), which fmt answers without asking them.
//
// # What is left out
//
// The package imports the standard library only. It knows neither
// OpenTelemetry nor statistics nor redaction; those are observers.
package toolkit
