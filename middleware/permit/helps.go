// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// Commands that may stand next to what a rule allows: the wrappers start what is judged by itself, the filters only
// cut what it prints, and the words of bash start and open nothing. With `default: deny` they must be listed, except cd.
var (
	helpfulWrappers = shell.NameSet("timeout gtimeout time nice stdbuf")
	helpfulFilters  = shell.NameSet("head tail wc sort uniq cut tr cat grep egrep nl column")
	helpfulWords    = shell.NameSet("pwd true false : echo printf test [ sleep exit set")
)

// helps reports whether a command that no rule covers does no more than help those that rules cover.
func (v *view) helps(l *shell.Line, at int) bool {
	c := &l.Commands[at]
	switch {
	case c.Name == "cd":
		return len(c.Words) > 1 && !c.Background && len(c.Assigns) == 0 && refused(v.space, c.Words[1:]) == ""
	case c.Name == "time" && len(c.Words) == 1:
		return true
	case v.rules.spec.Default == Deny || c.Background || len(c.Words) == 0 || !inSystem(c.Words[0].Text):
		return false
	}
	for _, a := range c.Assigns {
		if !shell.Quiet(a) {
			return false
		}
	}
	name := c.Name
	switch {
	case helpfulWrappers[name]:
		return at+1 < len(l.Commands) && l.Commands[at+1].Via == name && !strings.Contains(c.Words[0].Text, "/")
	case helpfulWords[name]:
		return !printsEnvironment(c)
	case helpfulFilters[name]:
		use := profile.Find(name).Check(v.matched(c.Words[1:]), 0, false)
		return use.Why == "" && len(use.Paths) == 0 && len(use.Writes) == 0 && len(use.Opens) == 0
	}
	return false
}
