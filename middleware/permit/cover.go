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
	if gap := c.gap(); gap != "" {
		return nil, true, "the rule " + c.any.Name + " does not cover " + gap
	}
	return c.any, false, "the line has nothing but what is allowed by " + c.rules()
}

// gap is what no rule covers; "" is nothing.
func (c *coverage) gap() string {
	if gap := assignGap(c.view.variables); gap != "" {
		return gap
	}
	for i, l := range c.view.lines {
		if gap := c.lineGap(i, l); gap != "" {
			return gap
		}
	}
	if files := c.view.writes(); len(files) > 0 {
		return "writing to " + shown(files[0].Text)
	}
	if c.view.space.Lost() {
		return "a directory outside the workspace"
	}
	return ""
}

// lineGap is what no rule covers of the line at an index.
func (c *coverage) lineGap(i int, l *shell.Line) string {
	for j := range l.Commands {
		if c.covered[i][j] == nil && !c.view.helps(l, j) {
			return c.reason(&l.Commands[j])
		}
	}
	if len(l.Secrets) > 0 {
		return "reading the variable " + shown(l.Secrets[0]) + ", whose name says that it holds a credential"
	}
	if gap := assignGap(l.Assigns); gap != "" {
		return gap
	}
	for _, d := range l.Redirects {
		if why := c.view.space.Refuse(d.Target); d.Read && why != "" {
			return "reading " + shown(d.Target.Text) + ", which " + why
		}
	}
	return ""
}

// assignGap is the first variable whose value may change what runs.
func assignGap(assigns []shell.Assign) string {
	for _, a := range assigns {
		if !shell.Quiet(a) {
			return "setting " + shown(a.Name)
		}
	}
	return ""
}

// reason says that a command is not covered, and why.
func (c *coverage) reason(command *shell.Command) string {
	text := line(command)
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
