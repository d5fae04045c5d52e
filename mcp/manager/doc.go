// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package manager keeps connections to many MCP servers and is a registry of all their
// tools.
//
//	config, err := manager.ReadConfig("mcp.json") // the usual {"mcpServers": {…}}
//	m, err := manager.New(manager.Options{Servers: config.Servers, Scope: scope})
//	err = m.Start(ctx)                            // until ctx ends, or Close
//	defer m.Close()
//	handle := scope.WrapRegistry(m)
//
// A [Server] is a command (stdio), a URL (streamable HTTP, or SSE as revision 2024-11-05
// has it), or a transport of the application. All start concurrently, and one that hangs delays
// no other beyond its start timeout. A connection that is lost is made anew after a pause
// that doubles, with jitter. Lists of tools, resources and prompts are read anew when a
// server says that they changed.
//
// # Names
//
// By default a tool is called SERVER__TOOL. Names consist of A-Z, a-z,
// 0-9, "_" and "-", at most 64 of them, as all model providers take them: another
// character becomes "_", and a name that was changed, is too long, or could be read as
// another server's ends with "_" and eight hexadecimal digits of the SHA-256 of server
// and tool. With [Options].SharedNames a tool keeps its own name, and tools of one name and input
// schema are one tool that several servers have; one of another schema is listed under its
// namespaced name. Should two names be equal after all, the server that comes first in
// order of priority and of configuration keeps it; the other's tool is left out and
// [Status].Problems says so.
//
// # Which server answers
//
// Of the servers that have a tool, those that are connected are asked first. Among them
// those whose success rate of the last five minutes is at most 5 points below the best
// one's, of these those of the highest priority, of these the one with the lowest latency
// (a moving average, α = 0.1). A server without calls in five minutes counts as one that
// never failed and answers at once, so that it is tried again.
//
// Another server is asked after a failure only if the tool is read-only or idempotent by
// its definition, or if the request provably was not sent. A tool that is neither
// never runs twice. What the tool itself answers is the answer: a failed one (isError)
// counts against the server's success rate, and no other server is asked.
//
// # What is guaranteed
//
// A request ends after its timeout at the latest, whatever the server does. A child
// process ends with its group, and on Linux with the descendants that left it, when the
// manager is closed, its context ends or the connection is lost. What a server sends is
// bounded: the size of a message, the number and size of tools, the pages of a list, the
// requests it makes at a time. A message that is too large is skipped and its request
// fails; the connection stays. What the host does not offer (sampling, elicitation,
// roots) is refused with an MCP error. A schema that a server wants a form filled in by is
// refused if it has references, on which the SDK's validator can be made to recurse for ever.
//
// # What is left out
//
// WebSocket is no transport of the protocol, and the SDK has none: configuration that
// asks for it is refused; [Server].Transport takes one of the application's. A tool's word for
// being read-only or idempotent is the server's own: [Options].Admit corrects it. If this
// process is killed without a chance to clean up, children see the end of their input,
// no more.
package manager
