// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpproxy is a proxy between clients and servers of the Model Context Protocol (MCP), in any language. It
// observes and governs their traffic. `toolscope mcp` is its command.
//
//	watcher, err := mcpproxy.New(scope, mcpproxy.Options{Server: "files"})
//	exit, err := watcher.Run(mcpproxy.Command{Path: path, Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
//	watcher.Close()
//
// # Guarantees
//
// Bodies and pipes pass unchanged and at once, in both directions: unknown methods, text that is no JSON, half
// messages, the end of each direction, standard error, signals and the exit code. A copy goes into a queue of a fixed
// size. Bytes that have no room there are forwarded, not decoded, and counted. Over HTTP, paths, headers and trailers
// pass as through [httputil.ReverseProxy]. One goroutine decodes the copies, however many calls run. A message of more
// than 1 MiB is not stored: its id, method and a few more members are read as it passes.
//
// Each tools/call is one span `tools/call {name}` of kind SERVER below the context that came in _meta, and a call for
// the scope's statistics and observers, with the times at which its bytes passed. Other requests are spans, too;
// notifications are not. [Watcher.ServeHTTP] reports what only the wire shows: calls that hang, are cancelled, or are
// answered late or never, tools that have changed, and output that is no message.
//
// With policies, or with the trace context injected, calls of tools are read before they are forwarded,
// and a policy may answer for the server. Then messages are forwarded whole, all but the calls that
// policies change byte for byte.
//
// A call that asks for input is one call. Policies judge its first round, and limit what runs in each. The next round
// belongs to a call if the server asked for it, in the same session, for the same tool and arguments.
//
// # Limits
//
// Under policies, the proxy refuses batches with a call of a tool, members that appear twice, and requests of more
// than 16 MiB, because two readers may read them differently, or not at all. With pinned tools it refuses answers that
// may be lists and that readers may read differently. Policies do not govern the older transport over
// server-sent events, whose calls they refuse. Answers that are compressed, though the proxy asks for none, and those
// of more than 16 MiB pass and are not decoded, or are refused while tools are pinned.
package mcpproxy
