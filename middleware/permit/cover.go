// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
)

// coverage finds out whether rules that allow cover all commands of the lines.
type coverage struct {
	view    *view
	covered [][]*compiled // by line and command
	any     *compiled
}

func newCoverage(v *view) *coverage {
	c := &coverage{view: v}
	for _, l := range v.lines {
		c.covered = append(c.covered, make([]*compiled, len(l.Commands)))
	}
	return c
}

func (c *coverage) addRule(rule *compiled) {
	for i, l := range c.view.lines {
		for j := range l.Commands {
			if c.covered[i][j] == nil && rule.allows(&l.Commands[j]) {
				c.covered[i][j] = rule
				c.any = rule
			} else if l.Commands[j].Words != nil && c.any == nil && rule.matchCommand(&l.Commands[j]) {
				c.any = rule // meant, but not as it is written
			}
		}
	}
}

// result is a rule that allows everything, or whether a part only is allowed, and why.
func (c *coverage) result() (all *compiled, part bool, why string) {
	if c.any == nil {
		return nil, false, ""
	}
	for _, name := range c.view.variables {
		if !quietVariables[name] && !strings.HasPrefix(name, "LC_") {
			return nil, true, "the rule " + c.any.Name + " does not cover setting " + shown(name)
		}
	}
	for i, l := range c.view.lines {
		for j := range l.Commands {
			command := &l.Commands[j]
			if c.covered[i][j] == nil && !(command.Name == "time" && len(command.Words) == 1) {
				return nil, true, "the rule " + c.any.Name + " does not cover " + line(command)
			}
		}
		for _, a := range l.Assigns {
			if !quietVariables[a.Name] {
				return nil, true, "the rule " + c.any.Name + " does not cover setting " + shown(a.Name)
			}
		}
		for _, w := range outputs.Writes(l) {
			return nil, true, "the rule " + c.any.Name + " does not cover writing to " + shown(w.Text)
		}
	}
	return c.any, false, "the line has nothing but what is allowed by " + c.rules()
}

// rules are the names of those that cover the commands.
func (c *coverage) rules() string {
	var names []string
	for _, line := range c.covered {
		for _, rule := range line {
			if rule != nil && !slices.Contains(names, rule.Name) {
				names = append(names, rule.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}
