// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package calllog writes calls down as JSON lines, in the form that `toolscope report`
// and internal/calllog.Read read, redacted:
//
//	log, err := calllog.Open("calls.jsonl", nil)
//	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{log}})
//	defer log.Close()
//
// A call never waits for the disk: one goroutine writes, and what has no room in its queue
// is dropped and counted. Each line is written at once, at the end of the file,
// so that several processes can share one. The file is made with mode 0600.
package calllog
