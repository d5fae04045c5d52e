// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
	"github.com/toolscope/toolscope/config"
)

const mcpWrapHelp = `toolscope mcp wrap lets a client start one of its servers behind a proxy.

Usage: toolscope mcp wrap NAME [--file FILE] [OPTIONS]
       toolscope mcp unwrap NAME [--file FILE]

NAME is a server in the "mcpServers" (VS Code: "servers") of FILE. Its command becomes
'toolscope mcp OPTIONS -- COMMAND ARGS...'; "unwrap" gives back what was there, byte for
byte. A copy of the file as it was stays beside it. Restart the client afterwards.

  --file FILE     the client's file. Without it the files of Claude Desktop, Claude Code,
                  Cursor, VS Code, Windsurf, Gemini CLI and LM Studio are looked at: those
                  of the user, and .mcp.json, .cursor/mcp.json and .vscode/mcp.json here
  --program FILE  the toolscope that the client starts; the default is this one

OPTIONS are those of the proxy: --otlp --log --stats --name --client-spans --hung --config
--inject-context --accept-tools --pin-tools; 'toolscope mcp --help' tells what they do.
Without --name the server is called NAME.

  toolscope mcp wrap filesystem --stats 127.0.0.1:0
  toolscope mcp unwrap filesystem --file ~/.cursor/mcp.json

Exit code: 0, 1 if the file cannot be changed, 2 for wrong words.
`

// mcpWrapCommand is `toolscope mcp wrap` and `toolscope mcp unwrap`.
func mcpWrapCommand(which string, args []string, stdout, stderr io.Writer) int {
	var o mcpOptions
	f := flag.NewFlagSet("mcp "+which, flag.ContinueOnError)
	file := f.String("file", "", "")
	program := f.String("program", "", "")
	if which == "wrap" {
		o.register(f)
	}
	words, code, done := parseArguments(f, mcpWrapHelp, args, stdout, stderr)
	if done {
		return code
	}
	wrong := ""
	switch {
	case len(words) != 1:
		wrong = fmt.Sprintf("got %d names, want the one of a server in the client's file", len(words))
	case o.target != "" || o.listen != "":
		wrong = "got --target or --listen, want a server that the client starts by a command"
	case which == "wrap" && o.hung <= 0:
		wrong = fmt.Sprintf("--hung: got %v, want a time above 0", o.hung)
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "toolscope mcp %s: %s\nRun 'toolscope mcp wrap --help' for the options.\n", which, wrong)
		return exitUsage
	}
	name := words[0]
	path, err := clientFile(*file, name)
	if err == nil {
		err = changeFile(path, func(text []byte) ([]byte, error) {
			if which == "unwrap" {
				return mcpclients.Unwrap(text, name)
			}
			proxy, err := o.proxy(*program, name, f)
			if err != nil {
				return nil, err
			}
			return mcpclients.Wrap(text, name, proxy)
		}, stdout)
	}
	if err != nil {
		complain(stderr, "mcp "+which, err)
		return exitError
	}
	return exitOK
}

// usable says what a client would only see as a server that does not start.
func (o *mcpOptions) usable() error {
	if o.stats != "" {
		if _, _, err := net.SplitHostPort(o.stats); err != nil {
			return fmt.Errorf("--stats: %w", err)
		}
	}
	if o.config == "" {
		return nil
	}
	text, err := os.ReadFile(o.config)
	if err == nil {
		err = config.Check(o.config, text)
	}
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	return nil
}

// proxy is the proxy's program and arguments, as a client starts it from any directory.
func (o *mcpOptions) proxy(program, name string, f *flag.FlagSet) (words []string, err error) {
	if err := o.usable(); err != nil {
		return nil, err
	}
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	if o.name == "" {
		o.name = name
	}
	words = []string{program, "mcp", "--name", o.name}
	f.Visit(func(g *flag.Flag) {
		value := g.Value.String()
		if value == "" { // as without it; a path of it would be this directory
			return
		}
		switch g.Name {
		case "file", "program", "name":
			return
		case "client-spans", "inject-context", "accept-tools", "pin-tools", "bare":
			if value == "true" {
				words = append(words, "--"+g.Name)
			}
			return
		case "log", "config":
			absolute, failed := filepath.Abs(value)
			err = errors.Join(err, failed)
			value = absolute
		}
		words = append(words, "--"+g.Name, value)
	})
	return words, err
}

// clientFile is the file to change: the one named, else the only one that has the server.
func clientFile(named, server string) (string, error) {
	if named != "" {
		return named, nil
	}
	var found, looked []string
	for _, f := range mcpclients.Files() {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			continue
		}
		looked = append(looked, f.Path)
		if names, _, err := mcpclients.Names(text); err == nil && slices.Contains(names, server) {
			found = append(found, f.Path)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("got a server %.40q in %s, want --file to say which", server, strings.Join(found, " and "))
	case len(looked) == 0:
		return "", errors.New("found no file of a client that is known, want --file to name one")
	}
	return "", fmt.Errorf("got no server %.40q in %s, want one of theirs, or --file", server, strings.Join(looked, ", "))
}

// changeFile changes a file, whole or not at all, and leaves a copy of it as it was.
func changeFile(path string, change func(text []byte) ([]byte, error), stdout io.Writer) error {
	path, err := filepath.EvalSymlinks(path) // the link stays
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	backup := path + "." + time.Now().Format("20060102-150405.000000") + ".bak"
	if err := os.WriteFile(backup, before, info.Mode().Perm()); err != nil {
		return err
	}
	fresh := path + ".toolscope-new"
	if err := os.WriteFile(fresh, after, info.Mode().Perm()); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	fmt.Fprintf(stdout, "%s: changed; as it was: %s\n", path, backup)
	return nil
}
