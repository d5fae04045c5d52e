// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"path"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// allowance is what a rule says of a command: whether the rule means it, why it does not allow it as it is
// written, and what the command needs of a sandbox.
type allowance struct {
	named bool
	why   string // "" if the command is allowed
	needs []string
}

// allows asks a rule that allows: all must be known, and nothing meant but the words.
func (c *compiled) allows(v *view, command *shell.Command) (a allowance) {
	if len(command.Words) == 0 {
		return a
	}
	level, named := c.level(command)
	a.named = named
	switch {
	case !named || !c.matchArguments(command):
		return allowance{}
	case command.Background:
		a.why = "it runs in the background"
	case !command.Words[0].Known || !inSystem(command.Words[0].Text):
		a.why = "the program is called by a path outside the system's directories"
	}
	for _, s := range command.Assigns {
		if !quiet(s.Name) {
			a.why = "it sets " + shown(s.Name)
		}
	}
	if a.why != "" {
		return a
	}
	p := profile.Find(strings.ToLower(command.Name))
	if p == nil {
		a.why = v.pathsOutside(command.Words[1:])
		return a
	}
	use := p.Check(command.Words[1:], level, false)
	if a.why, a.needs = use.Why, use.Needs; a.why == "" {
		a.why = v.pathsOutside(use.Paths)
	}
	if a.why == "" {
		a.why = v.pathsOutside(use.Writes)
	}
	return a
}

func begins(command *shell.Command, prefix []string) bool {
	if len(command.Words) < len(prefix) || command.Words[0].Text != prefix[0] && command.Name != prefix[0] {
		return false
	}
	for i, p := range prefix[1:] {
		if w := command.Words[i+1]; !w.Known || w.Text != p {
			return false
		}
	}
	return true
}

// quietVariables change how a program prints, and nothing else.
var quietVariables = map[string]bool{"LANG": true, "LANGUAGE": true, "TZ": true, "NO_COLOR": true, "CLICOLOR": true,
	"FORCE_COLOR": true, "COLUMNS": true, "LINES": true, "CI": true}

func quiet(name string) bool { return quietVariables[name] || strings.HasPrefix(name, "LC_") }

// inSystem reports whether the program is called by its bare name, or by a path in a
// directory that only the system's owner writes to.
func inSystem(program string) bool {
	dir, _ := path.Split(program)
	switch dir {
	case "", "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/homebrew/bin/":
		return true
	}
	return false
}
