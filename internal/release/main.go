// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Command release prepares and checks releases of the modules of this repository, which
// modules.txt lists.
//
//	go run ./internal/release verify            check go.mod files and the workspaces against modules.txt
//	go run ./internal/release proxy DIR         write all modules into a file-system module proxy
//	go run ./internal/release tidy              go mod tidy in each module, with that proxy
//	go run ./internal/release consumer          use every released module from outside, with that proxy
//	go run ./internal/release set VERSION       set the version of all modules
//	go run ./internal/release release VERSION   all of it, then the changelog, a commit, the tags and dist
//	go run ./internal/release dist VERSION      binaries and what refers to them, of the tagged version
//
// No module of the repository has to exist on a public proxy for any of it.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	list, err := readList(strings.TrimSpace(root))
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "verify":
		return list.verify()
	case len(args) == 2 && args[0] == "proxy":
		return list.pack(args[1])
	case len(args) == 1 && args[0] == "tidy":
		return list.tidy()
	case len(args) == 1 && args[0] == "consumer":
		return list.consume()
	case len(args) == 2 && args[0] == "set":
		return list.set(args[1])
	case len(args) == 2 && args[0] == "release":
		return list.release(args[1])
	case len(args) == 2 && args[0] == "dist":
		_, err := list.dist(args[1], targets)
		return err
	}
	return fmt.Errorf("got %q, want verify, proxy DIR, tidy, consumer, set VERSION, release VERSION or dist VERSION", args)
}
