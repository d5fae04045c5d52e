// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/export"
	"github.com/toolscope/toolscope/tools/catalog"
)

const toolsHelp = `toolscope tools lists the built-in tools, or those of MCP servers.

Usage: toolscope tools [OPTIONS] [NAME…]

With names, only these are listed, each with its description and schema.

` + toolOptionsHelp + mcpConfigHelp + `
  --json          print the definitions as the Model Context Protocol lists tools, with
                  what policies need in the member "harness"

  toolscope tools --all
  toolscope tools file_read
  toolscope call file_read '{"path": "README.md"}'
  toolscope tools --mcp-config mcp.json

Exit code: 0, 1 if the tools cannot be built, 2 for wrong words.
`

// toolsCommand is `toolscope tools`.
func toolsCommand(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	var o toolOptions
	f := flag.NewFlagSet("tools", flag.ContinueOnError)
	o.register(f)
	asJSON := f.Bool("json", false, "")
	servers := f.String("mcp-config", "", "")
	names, code, done := parseArguments(f, toolsHelp, args, stdout, stderr)
	if done {
		return code
	}
	defs, err := toolsListed(o, *servers, stderr)
	if err != nil {
		complain(stderr, "tools", err)
		return exitError
	}
	for _, name := range names {
		if !slices.ContainsFunc(defs, func(d toolkit.Definition) bool { return d.Name == name }) {
			fmt.Fprintf(stderr, "toolscope tools: got the name %q, want one of those that 'toolscope tools' lists with these options\n", display.Clip(name, 80))
			return exitUsage
		}
	}
	if len(names) > 0 {
		defs = slices.DeleteFunc(defs, func(d toolkit.Definition) bool { return !slices.Contains(names, d.Name) })
	}
	if err := printTools(stdout, defs, len(names) > 0, *asJSON); err != nil {
		fmt.Fprintf(stderr, "toolscope tools: %v\n", err)
		return exitError
	}
	return exitOK
}

// toolsListed gives the built-in tools, or those of the servers in a configuration file, and
// tells what is missing.
func toolsListed(o toolOptions, servers string, stderr io.Writer) ([]toolkit.Definition, error) {
	if servers != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		m, err := openServers(ctx, servers, nil, stderr)
		if err != nil {
			return nil, err
		}
		return m.Definitions(), m.Close()
	}
	tools, closeTools, err := o.open(nil)
	if err != nil {
		return nil, err
	}
	tellMissing(stderr, tools)
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
		toolTable(defs).print(&b, paintFor(w))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// toolTable is a line for each tool.
func toolTable(defs []toolkit.Definition) *table {
	t := &table{titles: []string{"<TOOL", "<CATEGORY", "<RISK", "<DOES", "LIMIT", "<DESCRIPTION"}, spare: []int{4, 1}}
	for i := range defs {
		d := &defs[i]
		colour := ""
		if d.Risk == toolkit.RiskHigh {
			colour = red
		}
		t.add(cell{display.Clip(d.Name, 40), bold}, cell{text: d.Category}, cell{string(d.Risk), colour}, cell{text: does(d)},
			cell{display.Duration(max(0, d.Timeout)), quiet}, cell{display.Clip(d.Description, 80), quiet})
	}
	return t
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
	fmt.Fprintf(b, "%s: %s\n%s, risk %s, at most %v, resources %s\n%s\n%s\n", d.Name, d.Title, does(d), d.Risk, d.Timeout, strings.Join(d.Resources, " "), d.Description, shown)
	return nil
}

// tellMissing tells what was left out for want of something on this machine.
func tellMissing(w io.Writer, tools *catalog.Catalog) {
	for _, m := range tools.Missing {
		fmt.Fprintf(w, "left out: %s\n", display.Plain(m))
	}
}
