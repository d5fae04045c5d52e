// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolpins

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

const about = `toolscope mcp pins shows and accepts what is remembered of servers' tools.

The proxy remembers the first list of each server. "diff" shows how a later list
differs; a tool that was renamed is shown as such. "accept --all" is what --pin-tools needs
before a server's tools can be pinned. SERVER is a name, or the beginning of an id.`

const examples = `  toolscope mcp pins list
  toolscope mcp pins diff files
  toolscope mcp pins accept read_file --server files
  toolscope mcp pins accept --all --server files
  toolscope mcp pins reset files`

type options struct {
	server    string
	json, all bool
}

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "pins COMMAND", Short: "show and accept what is remembered of servers' tools", Long: about, Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			return cli.Usage("got %.40q, want list, diff, accept or reset", strings.Join(args, " "))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(listCommand(), diffCommand(), acceptCommand(), resetCommand())
	return c
}

func (o *options) defineServer(c *cobra.Command) {
	c.Flags().StringVar(&o.server, "server", "", "the `SERVER`, if there is more than one")
	c.ValidArgsFunction = cobra.NoFileCompletions
}

func listCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "list [OPTIONS]", Short: "list the servers, and how many tools differ", Args: cli.OptionsOnly,
		Annotations: cli.Notes(", 1 if what is remembered cannot be read"),
		RunE:        func(c *cobra.Command, _ []string) error { return o.list(c.OutOrStdout(), c.ErrOrStderr()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print a line of JSON for each, with the definitions")
	c.ValidArgsFunction = cobra.NoFileCompletions
	return c
}

func diffCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "diff [SERVER]", Short: "compare what is remembered with what servers listed last", Args: cobra.MaximumNArgs(1),
		Annotations: cli.ExitNotes("0 if no tool differs, 1 if one does, 2 for a usage error."),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.server = args[0]
			}
			return o.diff(c.OutOrStdout())
		},
	}
	c.ValidArgsFunction = cobra.NoFileCompletions
	return c
}

func acceptCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "accept TOOL... [OPTIONS]", Short: "accept what a server listed last of some tools, or all of it",
		Annotations: cli.Notes(", 1 if nothing was accepted"),
		RunE: func(c *cobra.Command, tools []string) error {
			if o.all == (len(tools) > 0) {
				return cli.Usage("got %d tools and --all=%t, want tools or --all", len(tools), o.all)
			}
			return o.accept(tools, c.OutOrStdout())
		},
	}
	o.defineServer(c)
	c.Flags().BoolVar(&o.all, "all", false, "accept all tools, so that they may be pinned")
	return c
}

func resetCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "reset [SERVER]", Short: "forget a server's tools, or a file that cannot be read: the next list is remembered",
		Args: cobra.MaximumNArgs(1), Annotations: cli.Notes(", 1 if there is nothing to forget"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && o.server != "" && args[0] != o.server {
				return cli.Usage("got two servers, %.40q and %.40q, want one", args[0], o.server)
			}
			if len(args) > 0 {
				o.server = args[0]
			}
			found, broken, err := o.matching()
			if err != nil {
				return err
			}
			s, err := o.only(append(found, broken...))
			if err != nil {
				return err
			}
			if err := s.Reset(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: OK, forgotten\n", s.title())
			return err
		},
	}
	o.defineServer(c)
	return c
}

// A server is what is remembered of one.
type server struct {
	*mcpproxy.Baseline
	mcpproxy.BaselineReport
	unreadable error // of the file, of which only the id is known then
}

// title is the server's name, or the beginning of its id.
func (s *server) title() string { return display.Plain(cmp.Or(s.Server, s.ID[:min(8, len(s.ID))])) }

// matching are those that match --server, by name, and those whose files cannot be read.
func (o *options) matching() (found, broken []server, err error) {
	all, err := mcpproxy.Baselines("")
	if err != nil {
		return nil, nil, err
	}
	for _, b := range all {
		r, err := b.Report()
		s := server{b, r, err}
		hasID := len(o.server) >= 4 && strings.HasPrefix(r.ID, o.server)
		switch {
		case err != nil && (o.server == "" || hasID):
			broken = append(broken, s)
		case err == nil && (o.server == "" || hasID || r.Server == o.server):
			found = append(found, s)
		}
	}
	slices.SortFunc(
		found,
		func(a, b server) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.ID, b.ID)) },
	)
	return found, broken, nil
}

// servers are those that match --server, by name. Files that cannot be read are problems.
func (o *options) servers() (found []server, problems error) {
	found, broken, problems := o.matching()
	for _, s := range broken {
		problems = errors.Join(problems, fmt.Errorf("%w ('toolscope mcp pins reset %s' forgets it)", s.unreadable, s.title()))
	}
	if len(found) == 0 && o.server != "" {
		problems = errors.Join(problems, o.unknown())
	}
	return found, problems
}

// unknown says that no server is called so.
func (o *options) unknown() error {
	return fmt.Errorf("got no server %.40q, want one that 'toolscope mcp pins list' has", o.server)
}

// one is the only server that fits.
func (o *options) one(fits func(mcpproxy.BaselineReport) bool) (*server, error) {
	found, err := o.servers()
	if err != nil && len(found) == 0 {
		return nil, err
	}
	return o.only(slices.DeleteFunc(found, func(s server) bool { return !fits(s.BaselineReport) }))
}

// only is the server of a list of one.
func (o *options) only(found []server) (*server, error) {
	switch {
	case len(found) == 1:
		return &found[0], nil
	case len(found) == 0 && o.server != "":
		return nil, o.unknown()
	case len(found) == 0:
		return nil, errors.New("got no server that this is for, want one: see 'toolscope mcp pins list'")
	}
	var names []string
	for _, s := range found {
		names = append(names, fmt.Sprintf("%s (%.8s)", s.title(), s.ID))
	}
	return nil, fmt.Errorf("got %s, want --server to say which, by name or id", strings.Join(names, " and "))
}

func (o *options) list(stdout, stderr io.Writer) error {
	found, err := o.servers()
	if o.json {
		for _, s := range found {
			if err := cli.PrintJSON(stdout, s.BaselineReport); err != nil {
				return err
			}
		}
		return err
	}
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{
			Title: "SERVER",
		}, {Title: "ID"}, {Title: "TOOLS", Right: true}, {Title: "ACCEPTED"}, {Title: "DIFFER", Right: true}, {Title: "SINCE"},
	}}
	for _, s := range found {
		accepted := "no"
		if s.Accepted {
			accepted = "yes"
		}
		colour := ""
		if len(s.Changes) > 0 {
			colour = screen.Red
		}
		t.Add(
			screen.Cell{Text: display.Clip(display.Plain(s.Server), 40), Colour: screen.Bold},
			screen.Cell{Text: s.ID[:min(8, len(s.ID))]},
			screen.Cell{Text: fmt.Sprint(len(s.Tools))},
			screen.Cell{Text: accepted},
			screen.Cell{
				Text:   fmt.Sprint(len(s.Changes)),
				Colour: colour,
			},
			screen.Cell{Text: s.Since.Local().Format(time.DateTime)},
		)
	}
	if len(found) == 0 && err == nil {
		fmt.Fprintln(stderr, "nothing is remembered yet: the proxy remembers the first list of a server")
		return nil
	}
	var b strings.Builder
	t.Print(&b, screen.PaintFor(stdout))
	_, failed := io.WriteString(stdout, b.String())
	return errors.Join(err, failed)
}

func (o *options) diff(stdout io.Writer) error {
	found, err := o.servers()
	if err != nil {
		return err
	}
	differ := false
	var b strings.Builder
	for _, s := range found {
		for _, c := range s.Changes {
			differ = true
			writeChange(&b, &s.BaselineReport, &c)
		}
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return err
	}
	if differ {
		return cli.Exit(cli.ExitError)
	}
	return nil
}

// writeChange writes how a tool differs.
func writeChange(b *strings.Builder, r *mcpproxy.BaselineReport, c *mcpproxy.ToolChange) {
	what := c.Change
	switch {
	case c.RenamedFrom != "" && c.Same:
		what = "renamed from " + display.Plain(c.RenamedFrom) + ", else the same"
	case c.RenamedFrom != "":
		what = "in the place of " + display.Plain(c.RenamedFrom) + ", which is similar and gone"
	}
	fmt.Fprintf(
		b,
		"%s: %s: %s (listed %s)\n",
		display.Plain(r.Server),
		display.Plain(c.Tool),
		what,
		r.ListedAt.Local().Format(time.DateTime),
	)
	before, after := lines(c.Before), lines(c.After)
	if before == "" && c.Change == "changed" {
		b.WriteString("  what it was is not known: only its hash was kept\n")
	}
	for line := range strings.Lines(udiff.Unified("remembered", "listed", before, after)) {
		fmt.Fprintf(b, "  %s\n", display.Plain(strings.TrimRight(line, "\n")))
	}
}

// lines is a definition to compare.
func lines(definition json.RawMessage) string {
	var b bytes.Buffer
	if len(definition) == 0 || json.Indent(&b, definition, "", "  ") != nil {
		return ""
	}
	b.WriteByte('\n')
	return b.String()
}

func (o *options) accept(tools []string, stdout io.Writer) error {
	s, err := o.one(func(r mcpproxy.BaselineReport) bool {
		return o.server != "" || o.all ||
			slices.ContainsFunc(r.Changes, func(c mcpproxy.ToolChange) bool { return slices.Contains(tools, c.Tool) })
	})
	if err != nil {
		return err
	}
	if err := s.Baseline.Accept(tools...); err != nil {
		return err
	}
	what := strings.Join(tools, ", ")
	if o.all {
		what = "all tools"
	}
	_, err = fmt.Fprintf(stdout, "%s: OK, accepted %s\n", display.Plain(s.Server), display.Plain(what))
	return err
}
