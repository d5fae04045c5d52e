// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command toolscope shows and governs the tool calls of AI agents.
//
//	toolscope demo       run a real session with real tools and show what is recorded of it
//	toolscope stats      show the statistics of running programs
//	toolscope report     show the statistics of a call log
//	toolscope forget     remove one session from logs, traces and spools
//	toolscope redact     remove secrets and personal data from text and JSON
//	toolscope permit     print what the permission gate decides on a call, and why
//	toolscope mcp        be a proxy between any MCP client and server
//	toolscope tools      list the built-in tools
//	toolscope call       run one built-in tool with all policies
//
// Each command is a package of internal, named after it: statscmd, topcmd and so on. They share cli (command
// line, exit codes), screen (tables, untrusted text), summary (statistics as tables), logfile (reading call
// logs), programs (running programs over HTTP) and builtin (tools to run), and do not import each other.
//
// Run `toolscope help` for the list, `toolscope COMMAND --help` for one.
package main
