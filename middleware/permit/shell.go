// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/glob"
	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
)

import (
	"path"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// move notes where the command changes the directory to, for what follows or for what it starts.
func (v *view) move(c *shell.Command) {
	words := c.Words
	switch c.Name {
	case "cd", "pushd":
		v.enter(operands(words[1:]))
	case "env", "sudo":
		for i, w := range words {
			switch {
			case w.Text == "-C" || w.Text == "-D" || w.Text == "--chdir":
				v.enter(words[min(i+1, len(words)-1):][:1])
			case strings.HasPrefix(w.Text, "--chdir="), strings.HasPrefix(w.Text, "-C"), strings.HasPrefix(w.Text, "-D"):
				v.space.Lose()
			}
		}
	case "chroot", "popd":
		v.space.Lose()
	}
}

// operands are the words of cd without its options.
func operands(words []shell.Word) (to []shell.Word) {
	for _, w := range words {
		if !w.Known || w.Text != "-P" && w.Text != "-L" && w.Text != "--" && w.Text != "-e" {
			to = append(to, w)
		}
	}
	return to
}

// enter changes to a directory; none is home, or where the line was before.
func (v *view) enter(to []shell.Word) {
	if len(to) == 0 {
		v.space.Lose()
	}
	for _, w := range to {
		if !w.Known {
			v.space.Lose()
			return
		}
		v.space.Enter(w.Text)
	}
}

// doubt says why the call cannot be understood; "" if it can.
func (v *view) doubt(isShell bool) string {
	if !isShell {
		return ""
	}
	if v.args.Err != nil {
		return v.args.Err.Error()
	}
	for _, a := range v.variables {
		if shell.DangerousValue(a) {
			return "the variable " + shown(a.Name) + " changes what runs"
		}
	}
	for _, l := range v.lines {
		if len(l.Doubts) > 0 {
			return l.Doubts[0].Text
		}
	}
	return ""
}

// matchShell says which command a rule that asks or denies means; "" if none.
func (c *compiled) matchShell(v *view) string {
	if len(c.Shell.Writes) > 0 {
		file := ""
		for _, w := range v.writes() {
			for _, dir := range v.space.Dirs() {
				at := v.space.At(dir, w.Text)
				if glob.MatchAny(c.Shell.Writes, at) || glob.MatchAny(c.Shell.Writes, workspace.Resolve(at)) {
					file = w.Text
				}
			}
		}
		if file == "" {
			return ""
		}
		if len(c.prefixes)+len(c.programs)+len(c.Shell.Arguments) == 0 {
			return "it writes to " + shown(file)
		}
	}
	for _, l := range v.lines {
		for i := range l.Commands {
			if command := &l.Commands[i]; c.matchCommand(command) {
				return "it runs " + line(command)
			}
		}
	}
	return ""
}

// matchCommand reports whether the conditions on a command hold. What is guessed
// counts, and words may have others between them.
func (c *compiled) matchCommand(command *shell.Command) bool {
	if len(command.Words) == 0 {
		return false
	}
	name := strings.ToLower(command.Name)
	if _, ok := c.profiled(name); !ok && c.levels != nil && c.programs == nil && c.prefixes == nil {
		return false
	}
	if c.programs != nil && !glob.MatchAny(c.programs, name) {
		return false
	}
	if c.prefixes != nil {
		found := false
		for _, p := range c.prefixes {
			found = found || strings.ToLower(path.Base(p[0])) == name && inOrder(p[1:], command.Words[1:])
		}
		if !found {
			return false
		}
	}
	return c.matchArguments(command)
}

func (c *compiled) matchArguments(command *shell.Command) bool {
	for _, pattern := range c.Shell.Arguments {
		found := false
		for _, w := range command.Words[1:] {
			found = found || glob.Match(pattern, w.Text)
		}
		if !found {
			return false
		}
	}
	return true
}

func inOrder(want []string, words []shell.Word) bool {
	for _, w := range words {
		if len(want) > 0 && says(w.Text, want[0]) {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// says reports whether a word is the one that is wanted, or that option in another spelling:
// cut short (--har), with a value (--force=true), among other letters (-xdf).
func says(word, want string) bool {
	if word == want || len(want) < 2 || want[0] != '-' || len(word) < 2 || word[0] != '-' {
		return word == want
	}
	if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(want, "--") {
		return len(name) > 3 && strings.HasPrefix(want, name)
	}
	return len(want) == 2 && word[1] != '-' && strings.Contains(word[1:], want[1:])
}
