// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// coverage finds out whether rules that allow cover all commands of the lines.
type coverage struct {
	view    *view
	covered [][]*compiled // by line and command
	any     *compiled
	reasons map[*shell.Command]string // why commands that a rule names are not allowed
	needs   []string
	network bool
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
			if c.covered[i][j] != nil {
				continue
			}
			command := &l.Commands[j]
			switch a := rule.allows(c.view, command); {
			case a.named && a.why == "":
				c.covered[i][j] = rule
				c.any = rule
				c.needs = append(c.needs, a.needs...)
				c.network = c.network || rule.Shell.Network
			case a.named:
				if c.any = cmp.Or(c.any, rule); c.reasons == nil {
					c.reasons = map[*shell.Command]string{}
				}
				c.reasons[command] = cmp.Or(c.reasons[command], a.why)
			case command.Words != nil && c.any == nil && rule.matchCommand(command):
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
	for _, a := range c.view.variables {
		if !shell.Quiet(a) {
			return nil, true, "the rule " + c.any.Name + " does not cover setting " + shown(a.Name)
		}
	}
	for i, l := range c.view.lines {
		for j := range l.Commands {
			command := &l.Commands[j]
			if c.covered[i][j] == nil && !c.view.helps(l, j) {
				return nil, true, c.reason(command)
			}
		}
		if len(l.Secrets) > 0 {
			return nil, true, "the rule " + c.any.Name + " does not cover reading the variable " + shown(l.Secrets[0]) +
				", whose name says that it holds a credential"
		}
		for _, a := range l.Assigns {
			if !shell.Quiet(a) {
				return nil, true, "the rule " + c.any.Name + " does not cover setting " + shown(a.Name)
			}
		}
		for _, d := range l.Redirects {
			if why := c.view.space.Refuse(d.Target); d.Read && why != "" {
				return nil, true, "the rule " + c.any.Name + " does not cover reading " + shown(d.Target.Text) + ", which " + why
			}
		}
	}
	if files := c.view.writes(); len(files) > 0 {
		return nil, true, "the rule " + c.any.Name + " does not cover writing to " + shown(files[0].Text)
	}
	if c.view.space.Lost() {
		return nil, true, "the rule " + c.any.Name + " does not cover a directory outside the workspace"
	}
	return c.any, false, "the line has nothing but what is allowed by " + c.rules()
}

// reason says that a command is not covered, and why.
func (c *coverage) reason(command *shell.Command) string {
	text := "the rule " + c.any.Name + " does not cover " + line(command)
	if why := c.reasons[command]; why != "" {
		text += ": " + why
	}
	return text
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
