// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
)

const aboutClients = `toolscope mcp clients lists the servers in the files of known MCP clients.

Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Gemini CLI, LM Studio, Codex, Zed and
opencode: the files of the user, and those of this directory. "toolscope mcp wrap" puts a
server behind a proxy, or with --all each of them.`

const clientsExamples = `  toolscope mcp clients
  toolscope mcp clients prune`

func clientsCommand() *cobra.Command {
	var asJSON bool
	var file string
	c := &cobra.Command{
		Use: "clients [OPTIONS]", Short: "list the servers of known MCP clients", Long: aboutClients, Example: clientsExamples,
		Annotations: cli.Notes(
			", 1 if a file cannot be read",
		), Args: cli.OptionsOnly, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			return listClients(file, asJSON, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&file, "file", "", "list the servers of `FILE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each server")
	pruning := &cobra.Command{
		Use: "prune [OPTIONS]", Short: "delete the backups of files in which nothing is wrapped, and those of older versions",
		Annotations: cli.Notes(
			", 1 if a file cannot be deleted",
		), Args: cli.OptionsOnly, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error { return prune(file, c.OutOrStdout()) },
	}
	pruning.Flags().StringVar(&file, "file", "", "delete the backups of `FILE`")
	c.AddCommand(pruning)
	return c
}

// clientServer is a server as it is listed.
type clientServer struct {
	Client  string `json:"client"`
	File    string `json:"file"`
	Server  string `json:"server"`
	Project string `json:"project,omitempty"`
	Runs    string `json:"runs"` // the command or the URL, redacted
	State   string `json:"state"`
	Problem string `json:"problem,omitempty"`
}

func listClients(named string, asJSON bool, stdout, stderr io.Writer) error {
	files := mcpclients.Files()
	if named != "" {
		files = []mcpclients.File{{Client: "", Path: named}}
	}
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{Title: "CLIENT"}, {Title: "SERVER"}, {Title: "STATE"}, {Title: "RUNS", Rank: 1}, {Title: "FILE", Wide: true},
	}}
	all, errs := readClients(files, named != "")
	for _, x := range all {
		if asJSON {
			if err := cli.PrintJSON(stdout, x); err != nil {
				return err
			}
			continue
		}
		place := x.File
		if x.Project != "" {
			place += " (" + x.Project + ")"
		}
		t.Add(screen.Cell{Text: x.Client}, screen.Cell{Text: display.Clip(display.Plain(x.Server), 40), Colour: screen.Bold},
			screen.Cell{Text: x.State}, screen.Cell{Text: display.Clip(display.Plain(x.Runs), 60)},
			screen.Cell{Text: display.Plain(place)})
	}
	if len(all) == 0 && errs == nil {
		fmt.Fprintln(stderr, "found no servers in the files of known clients")
		return nil
	}
	var b strings.Builder
	if !asJSON && len(all) > 0 {
		t.Print(&b, screen.PaintFor(stdout))
	}
	_, err := io.WriteString(stdout, b.String())
	return errors.Join(errs, err)
}

// readClients reads the servers of files, which must be there if they were named.
func readClients(files []mcpclients.File, named bool) (all []clientServer, errs error) {
	for _, f := range files {
		text, err := mcpclients.ReadFile(f.Path)
		if errors.Is(err, fs.ErrNotExist) && !named {
			continue
		}
		var list []mcpclients.Server
		if err == nil {
			if list, err = mcpclients.Servers(text); err != nil {
				err = fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		errs = errors.Join(errs, err)
		for i := range list {
			all = append(all, listed(f, &list[i]))
		}
	}
	return all, errs
}

// listed is a server as it is listed.
func listed(f mcpclients.File, s *mcpclients.Server) clientServer {
	runs := shownCommand(s.Command)
	if s.URL != "" {
		runs = shownURL(s.URL)
	}
	x := clientServer{
		Client:  f.Client,
		File:    f.Path,
		Server:  s.Name,
		Project: s.Project,
		Runs:    runs,
		State:   "plain",
		Problem: s.Problem,
	}
	switch {
	case s.Problem != "":
		x.State = "cannot be wrapped"
	case s.Wrapped:
		x.State = "wrapped"
	}
	return x
}

// prune deletes the backups of a file, or of those of known clients. It keeps them where the file cannot be read: then
// they may be all there is.
func prune(file string, stdout io.Writer) error {
	files := mcpclients.Files()
	if file != "" {
		files = []mcpclients.File{{Path: file}}
	}
	var errs error
	for _, f := range files {
		found := backups(f.Path)
		if len(found) == 0 {
			continue
		}
		text, err := mcpclients.ReadFile(f.Path)
		var list []mcpclients.Server
		if err == nil {
			list, err = mcpclients.Servers(text)
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s: kept, since its file cannot be read: %w", strings.Join(found, ", "), err))
			continue
		}
		for _, name := range found {
			if name == backupOf(f.Path) && wrappedIn(list) {
				fmt.Fprintf(stdout, "%s: kept, since a server is wrapped\n", name)
				continue
			}
			if err := os.Remove(name); err != nil {
				errs = errors.Join(errs, err)
				continue
			}
			fmt.Fprintf(stdout, "%s: deleted\n", name)
		}
	}
	return errs
}
