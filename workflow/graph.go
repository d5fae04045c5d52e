// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
)

// graph draws a definition as a Mermaid flowchart. What follows a failure has dotted arrows.
func graph(d Definition) string {
	g := &drawing{}
	g.b.WriteString("flowchart TD\n")
	ends := g.steps(d.Steps, []string{g.node("([start])")}, "")
	g.link(ends, g.node("([end])"), "")
	return g.b.String()
}

type drawing struct {
	b     strings.Builder
	count int
}

// node draws a node, whose text has its form, and returns its name.
func (g *drawing) node(form string) string {
	g.count++
	name := fmt.Sprintf("n%d", g.count)
	fmt.Fprintf(&g.b, "  %s%s\n", name, form)
	return name
}

func (g *drawing) link(from []string, to, text string) {
	arrow := "-->"
	if text != "" {
		arrow = "-->|" + text + "|"
	}
	for _, f := range from {
		fmt.Fprintf(&g.b, "  %s %s %s\n", f, arrow, to)
	}
}

// steps draws steps one after the other, behind the nodes from, and returns the last nodes. text is on the first arrow.
func (g *drawing) steps(steps []Step, from []string, text string) []string {
	for i := range steps {
		from, text = g.step(&steps[i], from, text), ""
	}
	return from
}

// step draws a step, with what replaces it after a failure and what undoes it; text is on the arrow to it.
func (g *drawing) step(s *Step, from []string, text string) []string {
	at := fmt.Sprintf("n%d", g.count+1)
	ends := g.kind(s, from, text)
	if s.Undo != nil {
		fmt.Fprintf(&g.b, "  %s -.->|undo| %s\n", at, g.node("["+quoted(s.Undo.Tool)+"]"))
	}
	if s.FallbackStep != nil {
		fallback := fmt.Sprintf("n%d", g.count+1)
		after := g.step(s.FallbackStep, nil, "")
		fmt.Fprintf(&g.b, "  %s -.->|on error| %s\n", at, fallback)
		ends = append(slices.Clip(ends), after...)
	}
	return ends
}

// kind draws what a step does.
func (g *drawing) kind(s *Step, from []string, text string) []string {
	label := func(form, what string) string {
		if s.ID != "" {
			what = s.ID + ": " + what
		}
		return fmt.Sprintf(form, quoted(what))
	}
	var at string
	enter := func(form, what string) {
		at = g.node(label(form, what))
		g.link(from, at, text)
	}
	switch {
	case s.Parallel != nil:
		enter("{{%s}}", "parallel, "+string(s.Parallel.Merge))
		var ends []string
		for i := range s.Parallel.Branches {
			ends = append(ends, g.step(&s.Parallel.Branches[i], []string{at}, "")...)
		}
		join := g.node("((merge))")
		g.link(ends, join, "")
		return []string{join}
	case s.If != "":
		enter("{%s}", s.If)
		ends := []string{at}
		if s.Then != nil {
			ends = g.step(s.Then, []string{at}, "yes")
		}
		if s.Else != nil {
			return append(ends, g.step(s.Else, []string{at}, "no")...)
		}
		return append(ends, at)
	case s.Each != nil:
		enter("[/%s/]", "each of "+shown(s.Each.In))
		ends := []string{at}
		if s.Each.Do != nil {
			ends = g.step(s.Each.Do, ends, "each")
		}
		if s.Each.Merge != nil {
			merge := g.node(fmt.Sprintf("[%s]", quoted(s.Each.Merge.Tool)))
			g.link(ends, merge, "results")
			return []string{merge}
		}
		return ends
	case s.Loop != nil:
		enter("{%s}", "while "+s.Loop.While)
		if s.Loop.Do != nil {
			g.link(g.step(s.Loop.Do, []string{at}, fmt.Sprintf("at most %d times", s.Loop.Max)), at, "")
		}
		return []string{at}
	case s.Set != nil:
		enter("[%s]", "set")
	case len(s.Steps) > 0:
		return g.steps(s.Steps, from, text)
	default:
		enter("[%s]", s.Call)
	}
	return []string{at}
}

// shown is a value as a text.
func shown(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "a list"
	}
	return string(text)
}

// quoted is a text in a Mermaid label.
func quoted(text string) string {
	clean := strings.NewReplacer("#", "#35;", "\"", "#quot;", "<", "#lt;", ">", "#gt;")
	return "\"" + clean.Replace(display.Clip(strings.Join(strings.Fields(text), " "), 80)) + "\""
}
