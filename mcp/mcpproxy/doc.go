// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpproxy stands between clients and servers of the Model Context Protocol, in any
// language, and shows and governs what passes. `toolscope mcp` is its command.
//
//	watcher, err := mcpproxy.New(scope, mcpproxy.Options{Server: "files"})
//	exit, err := watcher.Run(mcpproxy.Command{Path: path, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
//	watcher.Close()
//
// # What is guaranteed
//
// Bytes pass unchanged, in both directions, as soon as they come: unknown methods, what is
// no JSON, half messages, the end of each direction, standard error, signals and the exit code. A
// copy goes into a queue of a fixed size. What has no room there is passed on, not looked at, and
// counted. Over HTTP/1.1 the bytes of each connection pass so, too, all but the server's name in
// Host ([Watcher.Serve] tells when net/http takes over). One goroutine looks at the copies, however many calls run. A message of more than 1 MiB
// is not kept: its id, method and a few more members are found as it passes.
//
// Each tools/call is one span `tools/call {name}` of kind SERVER below the context that came in
// _meta, a call of the scope's statistics and observers, with the times at which its bytes passed.
// Other requests are spans, too; notifications are not. What only the wire shows is counted and
// told by [Watcher.Report]: calls that hang, were given up, answered late or never, tools that are
// not what they were, output that is no message.
//
// With policies, or with the trace context injected, calls of tools are read before they go on,
// and a policy may answer in the server's place. Then frames pass whole, all but the calls that
// policies change byte for byte.
//
// A call that asks for input in between is one call. Policies judge its first round, and hold for what runs in
// each; the next one belongs to it if the server asked for it, in the same session, for the same tool and arguments.
//
// # What is left out
//
// Batches with a call of a tool, members that stand twice, and requests of more than 16 MiB are
// refused under policies, since two readers may read them differently, or none at all; and under
// pinned tools answers that may be lists and are not read alike. Policies do not govern the older transport over
// server-sent events, whose calls they refuse. Answers that are compressed, though the server is asked for none, and those of
// more than 16 MiB pass and are not looked at, or are refused while tools are pinned.
package mcpproxy
