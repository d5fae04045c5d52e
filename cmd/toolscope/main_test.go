// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// programEnv makes the test binary another program: "toolscope" is the command itself, others
// are MCP servers.
const programEnv = "TOOLSCOPE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "mcp" && os.Args[2] == "bridge" { // as toolscope starts itself
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	switch program := os.Getenv(programEnv); program {
	case "":
		if err := os.Setenv(recordings.Variable, "off"); err != nil { // in the home of who runs the tests
			panic(err)
		}
		os.Unsetenv("COLUMNS") // tables are as wide as they like to be
		os.Exit(m.Run())
	case "browser":
		os.Exit(openPage(os.Args[1]))
	case "toolscope":
		os.Unsetenv(programEnv)
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	default:
		os.Exit(fakeServer(program))
	}
}
