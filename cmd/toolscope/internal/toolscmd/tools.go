// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
)

const aboutTools = `toolscope tools lists the built-in tools, or those of MCP servers.

With names, only these are listed, each with its description and schema.

` + builtin.About

const toolsExamples = `  toolscope tools --all
  toolscope tools file_read
  toolscope call file_read '{"path": "README.md"}'
  toolscope tools --mcp-config mcp.json`

type toolsOptions struct {
	builtin.Options
	json    bool
	servers string
	only    string // category
}

// Tools returns the command toolscope tools.
func Tools() *cobra.Command {
	var o toolsOptions
	c := &cobra.Command{
		Use:               "tools [OPTIONS] [NAME...]",
		Short:             "list the built-in tools, or those of MCP servers",
		Long:              aboutTools,
		Example:           toolsExamples,
		Annotations:       cli.Notes(", 1 if the tools cannot be built"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, names []string) error {
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, names, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.Define(c)
	builtin.DefineServers(c, &o.servers)
	c.Flags().StringVar(&o.only, "category", "", "list the tools of this `CATEGORY`")
	c.Flags().BoolVar(&o.json, "json", false, "print the definitions as in MCP's tools/list; the fields that policies read "+
		"(category, riskLevel, rateLimit and others) are "+
		"in the member \"harness\"")
	return c
}

func (o *toolsOptions) run(ctx context.Context, names []string, stdout, stderr io.Writer) error {
	defs, err := o.definitions(ctx, stderr)
	if err != nil {
		return err
	}
	if o.only != "" {
		var categories []string
		for _, d := range defs {
			categories = append(categories, d.Category)
		}
		if !slices.Contains(categories, o.only) {
			slices.Sort(categories)
			return cli.Usage("--category: got %.40q, want one of %s", o.only, strings.Join(slices.Compact(categories), ", "))
		}
		defs = toolkit.OfCategory(defs, o.only)
	}
	var all []string
	for _, d := range defs {
		all = append(all, d.Name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return cli.Usage("got the name %q, want one of those that 'toolscope tools' lists with these "+
				"options%s", display.Clip(
				name, 80,
			),
				cli.DidYouMean(name, "", all))
		}
	}
	if len(names) > 0 {
		defs = slices.DeleteFunc(defs, func(d toolkit.Definition) bool { return !slices.Contains(names, d.Name) })
	}
	return printTools(stdout, defs, len(names) > 0, o.json)
}

// definitions returns the built-in tools, or those of the servers in a configuration file, and
// prints which are missing.
func (o *toolsOptions) definitions(ctx context.Context, stderr io.Writer) ([]toolkit.Definition, error) {
	if o.servers != "" {
		m, err := builtin.OpenServers(ctx, o.servers, nil, stderr, 0)
		if err != nil {
			return nil, err
		}
		return m.Definitions(), m.Close()
	}
	tools, closeTools, err := o.Open(nil)
	if err != nil {
		return nil, err
	}
	builtin.ReportMissing(stderr, tools)
	return tools.Registry.Definitions(), closeTools()
}

func printTools(w io.Writer, defs []toolkit.Definition, whole, asJSON bool) error {
	var b strings.Builder
	switch {
	case asJSON:
		text, err := export.MCP(defs)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s\n", text)
	case whole:
		for i := range defs {
			if i > 0 {
				b.WriteByte('\n')
			}
			if err := describeTool(&b, &defs[i]); err != nil {
				return err
			}
		}
	default:
		toolTable(defs).Print(&b, screen.PaintFor(w))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// toolTable is a line for each tool.
func toolTable(defs []toolkit.Definition) *screen.Table {
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{Title: "TOOL"}, {Title: "CATEGORY", Rank: 1}, {Title: "RISK"}, {Title: "DOES"}, {Title: "LIMIT", Right: true, Rank: 2},
		{Title: "DESCRIPTION", Wide: true},
	}}
	for i := range defs {
		d := &defs[i]
		colour := ""
		if d.Risk == toolkit.RiskHigh {
			colour = screen.Red
		}
		t.Add(screen.Cell{Text: display.Clip(d.Name, 40), Colour: screen.Bold}, screen.Cell{Text: d.Category},
			screen.Cell{Text: string(d.Risk), Colour: colour}, screen.Cell{Text: does(d)},
			screen.Cell{Text: limitOf(d), Colour: screen.Quiet},
			screen.Cell{Text: display.Clip(d.Description, 80), Colour: screen.Quiet})
	}
	return t
}

// limitOf is how long a call may take; "" of a tool that says nothing of it, as those of MCP servers.
func limitOf(d *toolkit.Definition) string {
	if d.Timeout <= 0 {
		return ""
	}
	return display.Duration(d.Timeout)
}

// does says in a word what a tool may do.
func does(d *toolkit.Definition) string {
	word := "writes"
	switch {
	case d.ReadOnly == toolkit.Yes:
		word = "reads"
	case d.Destructive != toolkit.No:
		word = "may destroy"
	}
	if d.OpenWorld == toolkit.Yes {
		word += ", outside"
	}
	return word
}

func describeTool(b *strings.Builder, d *toolkit.Definition) error {
	text := d.InputSchema
	if len(text) == 0 {
		text = []byte(`{"type":"object"}`)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	shown, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	fmt.Fprintf(b, "%s: %s\n%s, risk %s, at most %v, resources %s\n%s\n%s\n",
		d.Name, d.Title, does(d), d.Risk, d.Timeout, strings.Join(d.Resources, " "), d.Description, shown)
	return nil
}
