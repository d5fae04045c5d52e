// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
	"github.com/toolscope/toolscope/config"
)

const aboutWrap = `toolscope mcp wrap lets a client start one of its servers behind a proxy.

NAME is a server in the "mcpServers" (VS Code: "servers") of a file. Its command becomes
'toolscope mcp OPTIONS -- COMMAND ARGS...'; "toolscope mcp unwrap" restores what was there,
byte for byte. A copy of the file as it was is kept next to it. Restart the client
afterwards. Without --name the server is called NAME.`

const wrapExamples = `  toolscope mcp wrap filesystem --stats 127.0.0.1:0
  toolscope mcp unwrap filesystem --file ~/.cursor/mcp.json`

// wrapOptions are those of the proxy, and of changing a client's file.
type wrapOptions struct {
	options
	file, program string
}

// defineFile defines the options about the client's file.
func (o *wrapOptions) defineFile(c *cobra.Command) {
	c.Flags().StringVar(&o.file, "file", "", "the client's `FILE`. Without it, toolscope searches the files of "+
		"Claude Desktop, Claude Code, Cursor, "+
		"VS Code, Windsurf, Gemini CLI and LM Studio: those of the user, and .mcp.json, .cursor/mcp.json and "+
		".vscode/mcp.json here")
	c.Args = func(_ *cobra.Command, names []string) error {
		if len(names) != 1 {
			return cli.Usage("got %d names, want the one of a server in the client's file", len(names))
		}
		return nil
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.Annotations = cli.Notes(", 1 if the file cannot be changed")
}

func wrapCommand() *cobra.Command {
	var o wrapOptions
	c := &cobra.Command{
		Use: "wrap NAME [OPTIONS]", Short: "let a client start one of its servers behind a " +
			"proxy", Long: aboutWrap, Example: wrapExamples,
		RunE: func(c *cobra.Command, names []string) error {
			switch {
			case o.target != "" || o.listen != "":
				return cli.Usage("got --target or --listen, want a server that the client starts by a command")
			case o.hung <= 0:
				return cli.Usage("--hung: got %v, want a time above 0", o.hung)
			}
			return o.change(names[0], c.OutOrStdout(), func(text []byte) ([]byte, error) {
				proxy, err := o.proxy(names[0], c.Flags())
				if err != nil {
					return nil, err
				}
				return mcpclients.Wrap(text, names[0], proxy)
			})
		},
	}
	o.defineFile(c)
	c.Flags().StringVar(&o.program, "program", "", "the toolscope that the client starts is `FILE`; the default is this program")
	o.define(c)
	return c
}

func unwrapCommand() *cobra.Command {
	var o wrapOptions
	c := &cobra.Command{
		Use: "unwrap NAME [OPTIONS]", Short: "restore what \"wrap\" has changed", Long: aboutWrap,
		RunE: func(c *cobra.Command, names []string) error {
			return o.change(
				names[0], c.OutOrStdout(),
				func(text []byte) ([]byte, error) { return mcpclients.Unwrap(text, names[0]) },
			)
		},
	}
	o.defineFile(c)
	return c
}

// change changes the client's file that has the server.
func (o *wrapOptions) change(server string, stdout io.Writer, change func([]byte) ([]byte, error)) error {
	path, err := clientFile(o.file, server)
	if err != nil {
		return err
	}
	return changeFile(path, change, stdout)
}

// usable finds errors that a client would only show as a server that does not start.
func (o *options) usable() error {
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

// proxy returns the proxy's program and arguments, as a client starts it from any directory.
func (o *wrapOptions) proxy(name string, f *pflag.FlagSet) (words []string, err error) {
	if err := o.usable(); err != nil {
		return nil, err
	}
	program := o.program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	words = []string{program, "mcp", "--name", cmp.Or(o.name, name)}
	f.SortFlags = true // the same options give the same file
	f.Visit(func(g *pflag.Flag) {
		value := g.Value.String()
		switch {
		case value == "": // as without it; a path of it would be this directory
		case g.Name == "file" || g.Name == "program" || g.Name == "name":
		case g.Value.Type() == "bool":
			if value == "true" {
				words = append(words, "--"+g.Name)
			}
		case g.Name == "log" || g.Name == "config":
			absolute, failed := filepath.Abs(value)
			err = errors.Join(err, failed)
			words = append(words, "--"+g.Name, absolute)
		default:
			words = append(words, "--"+g.Name, value)
		}
	})
	return words, err
}

// clientFile returns the file to change: the one named, else the only one that has the server.
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
		return "", errors.New("found no file of a known client, want --file to name one")
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
	fmt.Fprintf(stdout, "%s: OK, changed; backup: %s\n", path, backup)
	return nil
}
