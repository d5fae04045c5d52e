// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package logexport turns the calls of a call log into what other tools read: spans
// over OTLP, an HTTP archive (HAR 1.2), a page of HTML, or text. It is what
// `toolscope export` does.
//
//	export := &logexport.Export{Filter: filter, Cleaner: cleaner, Sink: logexport.NewText(w)}
//	err := export.AddLine(line) // for each line of the log
//	err = export.Close()
//
// Calls stream through one by one: memory does not grow with the log. Every text
// passes the default redactor, whatever the log's writer did, and stricter ones on
// request ([NewCleaner]); nothing makes it let more through.
package logexport
