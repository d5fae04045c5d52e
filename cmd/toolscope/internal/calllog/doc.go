// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package calllog writes calls down as JSON lines, in the form that `toolscope report`
// and internal/calllog.Read read, redacted:
//
//	log, err := calllog.Open("calls.jsonl", calllog.Options{})
//	scope, err := toolscope.New(toolscope.Options{Observers: []toolkit.Observer{log}})
//	defer log.Close()
//
// A call has two lines, "begin" and "end", with the same "call". What reads calls reads the ends, which have
// everything. [Log.Sync] waits for the lines of calls that have begun, for two seconds at most; apart from that
// a call never waits for the disk. One goroutine writes. What has no room in its queue is dropped, counted, and
// recorded in a line of its own ("dropped"). Each line is written at once, at the end of the file, so that several
// processes can share one. Only its owner may read the file. Before it grows beyond a size it is renamed.
package calllog
