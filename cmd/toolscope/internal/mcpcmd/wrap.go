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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

const aboutWrap = `toolscope mcp wrap lets a client start one of its servers behind a proxy.

NAME is a server in a client's file: "toolscope mcp clients" lists them. Its command becomes
'toolscope mcp OPTIONS -- COMMAND ARGS...', and one with a URL is started as
'toolscope mcp OPTIONS --target URL'. "toolscope mcp unwrap" restores what was there, byte for
byte. A copy of the file as it was before the first one, for you alone, is kept next to it until
none is wrapped. Restart the client afterwards. Without --name the server is called NAME.`

const wrapExamples = `  toolscope mcp wrap filesystem --stats 127.0.0.1:0
  toolscope mcp wrap --all --log ~/calls.jsonl`

const aboutUnwrap = `toolscope mcp unwrap restores what "toolscope mcp wrap" has changed, byte for byte.

NAME is a server in a client's file: "toolscope mcp clients" lists them. Restart the client
afterwards.`

const unwrapExamples = `  toolscope mcp unwrap filesystem --file ~/.cursor/mcp.json
  toolscope mcp unwrap --all`

// wrapOptions are those of the proxy, and of changing a client's file.
type wrapOptions struct {
	options
	file, project, program string
	all                    bool
}

// defineFile defines the options about the client's file.
func (o *wrapOptions) defineFile(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(
		&o.file,
		"file",
		"",
		"the client's `FILE`, in JSON or TOML. Without it, toolscope searches the files of known "+
			"clients, of the user and of this directory: see 'toolscope mcp clients'",
	)
	f.StringVar(&o.project, "project", "", "the server is that of Claude Code's project in `DIR`")
	f.BoolVar(&o.all, "all", false, "all servers of the file, or of all files")
	c.Args = func(_ *cobra.Command, names []string) error {
		if len(names) != 1 && !o.all || len(names) > 0 && o.all {
			return cli.Usage(
				"got %d names and --all=%t, want the name of a server in the client's file, or --all",
				len(names),
				o.all,
			)
		}
		return nil
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.Annotations = cli.Notes(", 1 if a file cannot be changed")
}

func wrapCommand() *cobra.Command {
	var o wrapOptions
	c := &cobra.Command{
		Use: "wrap NAME|--all [OPTIONS]", Short: "let a client start its servers behind a proxy",
		Long: aboutWrap, Example: wrapExamples,
		RunE: func(c *cobra.Command, names []string) error {
			switch {
			case o.target != "" || o.listen != "":
				return cli.Usage("got --target or --listen, want a server that the client starts or connects to")
			case o.hung <= 0:
				return cli.Usage("--hung: got %v, want a time above 0", o.hung)
			case o.all && o.name != "":
				return cli.Usage("got --all and --name, want one of them: each server has its own name")
			}
			if err := o.usable(); err != nil {
				return err
			}
			return o.change(names, c.OutOrStdout(), false, func(text []byte, s mcpclients.Server) ([]byte, error) {
				proxy, err := o.proxy(&s, c.Flags())
				if err != nil {
					return nil, err
				}
				return mcpclients.Wrap(text, s.Name, s.Project, proxy)
			})
		},
	}
	o.defineFile(c)
	c.Flags().
		StringVar(&o.program, "program", "", "the toolscope that the client starts is `FILE`; the default is this program")
	o.define(c)
	return c
}

func unwrapCommand() *cobra.Command {
	var o wrapOptions
	c := &cobra.Command{
		Use: "unwrap NAME|--all [OPTIONS]", Short: "restore what \"wrap\" has changed", Long: aboutUnwrap, Example: unwrapExamples,
		RunE: func(c *cobra.Command, names []string) error {
			return o.change(names, c.OutOrStdout(), true, func(text []byte, s mcpclients.Server) ([]byte, error) {
				return mcpclients.Unwrap(text, s.Name, s.Project)
			})
		},
	}
	o.defineFile(c)
	return c
}

// A changing changes the entry of a server in a file.
type changing func(text []byte, s mcpclients.Server) ([]byte, error)

// change changes the client's file that has the server, or with --all each file that has one. wrapped says which
// servers --all means.
func (o *wrapOptions) change(names []string, stdout io.Writer, wrapped bool, change changing) error {
	if o.all {
		return o.changeAll(stdout, wrapped, change)
	}
	path, err := clientFile(o.file, names[0])
	if err != nil {
		return err
	}
	return changeFile(path, stdout, func(text []byte) ([]byte, error) {
		list, err := mcpclients.Servers(text)
		if err != nil {
			return nil, err
		}
		s := mcpclients.Server{Name: names[0]}
		for _, found := range list {
			if found.Name == names[0] && found.Wrapped == wrapped && o.inProject(&found) {
				s = found
				break
			}
		}
		s.Project = o.project // a name of several projects is an error
		return change(text, s)
	})
}

// inProject reports whether a server is one of those that --project means.
func (o *wrapOptions) inProject(s *mcpclients.Server) bool {
	return o.project == "" || s.Project == o.project
}

// changeAll changes all servers of the files that have any.
func (o *wrapOptions) changeAll(stdout io.Writer, wrapped bool, change changing) error {
	paths := []string{o.file}
	if o.file == "" {
		paths = nil
		for _, f := range mcpclients.Files() {
			if _, err := os.Stat(f.Path); err == nil {
				paths = append(paths, f.Path)
			}
		}
	}
	changed := 0
	var errs error
	for _, path := range paths {
		err := changeFile(path, stdout, func(text []byte) ([]byte, error) {
			text, n, err := o.changeServers(path, text, stdout, wrapped, change)
			changed += n
			errs = errors.Join(errs, err)
			return text, nil
		})
		if !errors.Is(err, errNoServers) {
			errs = errors.Join(errs, err)
		}
	}
	if changed == 0 && errs == nil {
		return errors.New("found no server to change: see 'toolscope mcp clients'")
	}
	return errs
}

// changeServers changes the servers of a file that can be changed, and reports why the others were left as they are.
func (o *wrapOptions) changeServers(
	path string, text []byte, stdout io.Writer, wrapped bool, change changing,
) (_ []byte, changed int, errs error) {
	list, err := mcpclients.Servers(text)
	if err != nil {
		return text, 0, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range list {
		if !o.inProject(&s) {
			continue
		}
		reason := s.Problem
		if reason == "" && s.Wrapped != wrapped {
			reason = "it is wrapped already"
		}
		if reason != "" {
			if !wrapped { // of servers that are not wrapped there is nothing to unwrap
				fmt.Fprintf(stdout, "%s: skipped %s: %s\n", path, shownName(&s), display.Plain(reason))
			}
			continue
		}
		out, err := change(text, s)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: %w", path, err))
			continue
		}
		text = out
		changed++
	}
	return text, changed, errs
}

// shownName is a server's name, with its project if it is of one.
func shownName(s *mcpclients.Server) string {
	name := display.Quoted(s.Name)
	if s.Project != "" {
		name += " of project " + display.Plain(s.Project)
	}
	return name
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
		err = configfile.Check(o.config, text)
	}
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	return nil
}

// pinnable returns an error for tools that are to be pinned and were never accepted: the proxy would not start.
func (o *wrapOptions) pinnable(s *mcpclients.Server) error {
	if !o.pin || o.accept {
		return nil
	}
	name := cmp.Or(o.name, s.Name)
	b, err := mcpproxy.OpenBaseline("", append([]string{name, s.URL}, s.Command...)...)
	if err != nil {
		return err
	}
	if r, err := b.Report(); err != nil || r.Accepted {
		return err
	}
	return fmt.Errorf(
		"--pin-tools: the tools of %.40q have not been accepted yet: wrap it without --pin-tools, start the client once, "+
			"check 'toolscope mcp pins list --json', run 'toolscope mcp pins accept --all --server %s', unwrap it and wrap it again",
		name,
		name,
	)
}

// proxy returns the proxy's program and arguments, as a client starts it from any directory.
func (o *wrapOptions) proxy(s *mcpclients.Server, f *pflag.FlagSet) (words []string, err error) {
	if err := o.pinnable(s); err != nil {
		return nil, err
	}
	if o.oauth && s.URL == "" && !o.all {
		return nil, fmt.Errorf("--oauth: got %.40q, which is started by a command, want a server with a URL", s.Name)
	}
	program := o.program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	words = []string{program, "mcp", "--name", cmp.Or(o.name, s.Name)}
	f.SortFlags = true // the same options give the same file
	f.Visit(func(g *pflag.Flag) {
		value := g.Value.String()
		switch {
		case value == "": // as without it; a path of it would be this directory
		case g.Name == "file" || g.Name == "program" || g.Name == "name" || g.Name == "project" || g.Name == "all":
		case strings.HasPrefix(g.Name, "oauth") && s.URL == "": // with --all
		case g.Value.Type() == "bool":
			if value == "true" {
				words = append(words, "--"+g.Name)
			}
		case g.Name == "log" || g.Name == "config" || strings.HasSuffix(g.Name, "-file"):
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
		text, err := mcpclients.ReadFile(f.Path)
		if err != nil {
			continue
		}
		looked = append(looked, f.Path)
		list, err := mcpclients.Servers(text)
		if err == nil && slices.ContainsFunc(list, func(s mcpclients.Server) bool { return s.Name == server }) {
			found = append(found, f.Path)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf(
			"got a server %.40q in %s, want --file to say which",
			server,
			strings.Join(found, " and "),
		)
	case len(looked) == 0:
		return "", errors.New("found no file of a known client, want --file to name one")
	}
	return "", fmt.Errorf(
		"got no server %.40q in %s, want one of theirs, or --file",
		server,
		strings.Join(looked, ", "),
	)
}
