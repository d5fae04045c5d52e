// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
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
		if !shell.Quiet(s) {
			a.why = "it sets " + shown(s.Name)
		}
	}
	if a.why == "" && printsEnvironment(command) {
		a.why = "it prints the environment"
	}
	if a.why != "" {
		return a
	}
	p := profile.Find(strings.ToLower(command.Name))
	if p == nil {
		if a.why = refused(v.space, command.Words[1:]); a.why == "" {
			if dirs := v.space.Directories(command.Words[1:]); len(dirs) > 0 {
				a.why = opened(v.space.Opens([]string{"tree"}, dirs, true, nil))
			}
		}
		return a
	}
	use := p.Check(v.matched(command.Words[1:]), level, false)
	place := v.space.With(use.Dirs)
	a.needs = use.Needs
	a.why = cmp.Or(use.Why, refused(place, use.Paths), refused(place, use.Writes))
	for _, w := range use.Changes {
		if a.why == "" && v.starts(w.Text) {
			a.why = shown(w.Text) + " is executed when a program starts"
		}
	}
	if a.why == "" && p.Name == "git" {
		a.why = place.StrangeRepository()
	}
	if a.why == "" && len(use.Opens) > 0 {
		a.why = opens(place, p.Name, use)
	}
	return a
}

// opens says what a command may open without naming it; "" if it names all.
func opens(place workspace.Place, program string, use profile.Use) string {
	if program == "git" && place.Explicit(use.Operands, use.Literal) {
		use.Opens = slices.DeleteFunc(use.Opens, func(what string) bool { return what == "git" })
	}
	return opened(place.Opens(use.Opens, use.Paths, use.Named, use.Only))
}

// printsEnvironment reports whether a command prints variables whose names it does not say.
func printsEnvironment(c *shell.Command) bool {
	switch c.Name {
	case "env", "set", "export", "declare", "typeset", "readonly", "compgen", "local":
	default:
		return false
	}
	for _, w := range c.Words[1:] {
		if w.Text != "" && (w.Text[0] != '-' || c.Name == "set") && !strings.Contains(w.Text, "=") {
			return c.Name == "compgen"
		}
	}
	return c.Name != "set" || len(c.Words) == 1
}

// refused says which of the words leads out of the workspace, or to credentials; "" if none.
func refused(place workspace.Place, words []shell.Word) string {
	for _, w := range words {
		if why := place.Refuse(w); why != "" {
			return shown(w.Text) + " " + why
		}
	}
	return ""
}

func opened(file string) string {
	if file == "" {
		return ""
	}
	return "it may open " + shown(file)
}

// matched are the words of a command, where a pattern that means no option at the moment is an operand.
func (v *view) matched(words []shell.Word) []shell.Word {
	cloned := false
	for i, w := range words {
		includes := strings.HasPrefix(w.Text, "--include=") && !strings.Contains(w.Text, "$") && !w.Known
		if !w.Loose && !includes || w.Split || w.Pipe || !workspace.Pattern(w.Text) && !includes {
			continue
		}
		files, ok := v.space.Matches(w.Text)
		if !ok || slices.ContainsFunc(files, func(file string) bool { return includes || strings.HasPrefix(path.Base(file), "-") }) {
			continue
		}
		if !cloned {
			words, cloned = slices.Clone(words), true
		}
		words[i].Loose = false
		words[i].Known = w.Known || includes // nothing matches the pattern, which stays as it is
	}
	return words
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
