// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// The exit codes of every command.
const (
	exitOK    = 0
	exitError = 1 // it was tried and failed
	exitUsage = 2 // it was not tried: the words were wrong
)

// A command reads and writes what it is given, and returns its exit code.
type command struct {
	name, short string
	run         func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

var commands = []command{
	{"demo", "run a real session with real tools and show what is seen of it", demoCommand},
	{"stats", "show the statistics of running programs, or merge those of several", statsCommand},
	{"top", "show tool calls live in the terminal, of running programs or of a call log", topCommand},
	{"replay", "run a recorded session again, with all policies", replayCommand},
	{"report", "show the statistics of a call log in JSON lines", reportCommand},
	{"forget", "remove one session from the files that are kept", forgetCommand},
	{"export", "turn a call log into spans (OTLP), an HTTP archive, a page or text", exportCommand},
	{"redact", "remove secrets and personal data from text, JSON and JSON lines", redactCommand},
	{"permit", "say what the permission gate decides of a call, and why", permitCommand},
	{"approvals", "list the calls that wait for a person, approve or reject them", approvalsCommand},
	{"tools", "list the built-in tools", toolsCommand},
	{"call", "run one built-in tool with all policies, and show result and trace", callCommand},
	{"serve", "be an MCP server with the built-in tools, watched and governed", serveCommand},
	{"mcp", "stand between any MCP client and server, and show and govern what passes", mcpCommand},
	{"config", "check configuration files", configCommand},
	{"version", "print the version", versionCommand},
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 {
			return run([]string{args[1], "--help"}, stdin, stdout, stderr)
		}
		usage(stdout)
		return exitOK
	case "-version", "--version":
		return versionCommand(nil, stdin, stdout, stderr)
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "toolscope: got command %.40q, want one of those below\n\n", args[0])
	usage(stderr)
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprint(w, "toolscope shows and governs the tool calls of AI agents.\n\nUsage: toolscope COMMAND [OPTIONS]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nRun 'toolscope COMMAND --help' for a command's options. Begin with 'toolscope demo'.\n")
}

func versionCommand(_ []string, _ io.Reader, stdout, _ io.Writer) int {
	version, revision := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	fmt.Fprintf(stdout, "toolscope %s%s\n", version, revision)
	return exitOK
}
