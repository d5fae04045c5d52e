// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// A mention is where a configuration names a tool, or tools by a pattern.
type mention struct{ field, name string }

// mentionsIn are those of a file; none if it is no regular file, which cannot be read twice.
func mentionsIn(file string) []mention {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil { // config.Open reports it
		return nil
	}
	return mentions(text)
}

// mentions are those of a configuration: the members and elements of each "tools" and "max_tools", and each "tool".
func mentions(text []byte) (list []mention) {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
		return nil
	}
	var walk func(field string, n *yaml.Node)
	walk = func(field string, n *yaml.Node) {
		if n.Kind == yaml.SequenceNode {
			for _, element := range n.Content {
				walk(field, element)
			}
		}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			at := strings.TrimPrefix(field+"."+key, ".")
			switch {
			case key == "tool" && value.Kind == yaml.ScalarNode:
				list = append(list, mention{at, value.Value})
			case key != "tools" && key != "max_tools":
				walk(at, value)
			case value.Kind == yaml.MappingNode:
				for j := 0; j < len(value.Content); j += 2 {
					list = append(list, mention{at, value.Content[j].Value})
				}
			case value.Kind == yaml.SequenceNode:
				for _, element := range value.Content {
					list = append(list, mention{at, element.Value})
				}
			}
		}
	}
	walk("", root.Content[0])
	return list
}

// names reports whether a mention means a tool of that name.
func (m mention) names(tool string) bool {
	pattern := strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(m.name)
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "_"), strings.ReplaceAll(tool, "/", "_"))
	return err == nil && ok
}

// warnOfNames says once of each mention in the policies that it means no tool: a policy that was to refuse a call
// would not. The policies of a server are compared with its tools, those for all with the tools of all servers.
// Nothing is said while a server's tools are not known.
func (g *gateway) warnOfNames(definitions []toolkit.Definition) {
	known := map[string]bool{}
	all := true
	for _, s := range g.servers.Status() {
		known[s.Name] = s.Tools > 0
		all = all && (known[s.Name] || s.State == manager.Disconnected)
	}
	for _, f := range g.files {
		if f.server == "" && !all || f.server != "" && !known[f.server] {
			continue
		}
		var tools []string
		for _, d := range definitions {
			if f.server == "" || slices.Contains(g.servers.Servers(d.Name), f.server) {
				tools = append(tools, d.Name)
			}
		}
		for _, m := range f.mentions {
			key := f.path + "\x00" + m.field + "\x00" + m.name
			if g.warned[key] || slices.ContainsFunc(tools, m.names) {
				continue
			}
			g.warned[key] = true
			fmt.Fprintf(g.stderr, "%s: %s: no tool is called %s%s\n", display.Plain(f.path), display.Plain(m.field),
				display.Quoted(m.name), nearest(m.name, tools))
		}
	}
}

// nearest suggests the name that a tool has in the gateway, if the server's own was given, or the nearest ones.
func nearest(name string, tools []string) string {
	for _, tool := range tools {
		if strings.HasSuffix(tool, "__"+name) {
			return fmt.Sprintf(" (did you mean %s?)", tool)
		}
	}
	return cli.DidYouMean(name, "", tools)
}
