// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/bash"
)

// Names, folded, under which tools that run commands commonly take what belongs to one.
var (
	commandNames   = foldAll("cmd", "commands", "command_line", "commandLine", "shell_command", "script", "code", "input") // where the one that is named is missing
	argumentNames  = foldAll("args", "argv", "arguments", "parameters")                                                    // further words of the command
	directoryNames = foldAll("cwd", "workdir", "work_dir", "working_directory", "workingDirectory", "working_dir", "directory", "dir")
	variableNames  = foldAll("env", "environment", "variables")
	severalName    = fold("commands")
)

func foldAll(names ...string) []string {
	for i, n := range names {
		names[i] = fold(n)
	}
	return names
}

// readLines reads the command lines among the arguments. All members are read that
// some decoder may take for the command.
func (v *view) readLines(argument string) {
	args := v.arguments()
	found := args.folded[argument]
	for _, name := range commandNames {
		if len(args.folded[argument]) == 0 {
			for _, value := range args.folded[name] {
				found = append(found, separate(value, name == severalName)...)
			}
		}
	}
	if len(found) == 0 {
		v.unread("the call has no command that is known to be one")
	}
	for _, value := range found {
		v.readCommand(value)
	}
	for _, name := range directoryNames {
		for _, dir := range args.folded[name] {
			switch d, ok := dir.(string); {
			case dir == nil || ok && d == "":
			case !ok || !v.rules.space.inside(d):
				v.moved = true
			default:
				v.dirs = append(v.dirs, v.rules.space.absolute(d))
			}
		}
	}
	for _, name := range variableNames {
		for _, value := range args.folded[name] {
			v.readVariables(value)
		}
	}
	for _, l := range v.lines {
		for i := range l.Commands {
			v.moved = v.moved || v.moves(&l.Commands[i])
		}
	}
}

// separate are the commands of a list of several, or the value itself.
func separate(value any, several bool) []any {
	if list, ok := value.([]any); ok && several {
		return list
	}
	return []any{value}
}

// unread notes that the command cannot be told.
func (v *view) unread(why string) {
	if v.args.err == nil {
		v.args.err = errors.New(why)
	}
}

// readCommand reads a line of a shell, or a list of words: of those a tool may run the first with
// the others as its arguments, or give a shell all of them as a line or each as one.
func (v *view) readCommand(value any) {
	var more []string
	for _, name := range argumentNames {
		for _, list := range v.args.folded[name] {
			if more = append(more, texts(list)...); list != nil && texts(list) == nil {
				v.unread("the command's arguments are not strings")
			}
		}
	}
	switch c := value.(type) {
	case string:
		for _, w := range more {
			c += " " + quoted(w)
		}
		v.lines = append(v.lines, bash.Parse(c))
	case []any:
		words := make([]string, len(c), len(c)+len(more))
		line := ""
		for i, w := range c {
			s, ok := w.(string)
			if !ok {
				v.unread("the command has a word that is no string")
			}
			words[i] = quoted(s)
			if strings.ContainsAny(s, " \t\n;|&$`<>(){}") && (i == 0 || line != "") {
				line += s + "\n" // no name of a program
			}
		}
		for _, w := range more {
			words = append(words, quoted(w))
		}
		v.lines = append(v.lines, bash.Parse(strings.Join(words, " ")))
		if line != "" {
			v.lines = append(v.lines, bash.Parse(line))
		}
	default:
		v.unread("the command is neither a string nor an array of strings")
	}
}

// quoted is a word as a shell reads it.
func quoted(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

// readVariables reads the variables that are set for the command, as an object or as NAME=VALUE.
func (v *view) readVariables(value any) {
	switch vars := value.(type) {
	case nil:
	case map[string]any:
		for name := range vars {
			v.variables = append(v.variables, name)
		}
	case []any:
		for _, w := range texts(vars) {
			name, _, _ := strings.Cut(w, "=")
			v.variables = append(v.variables, name)
		}
	default:
		v.unread("the variables of the command are neither an object nor an array")
	}
	slices.Sort(v.variables)
}

// moves reports whether the command changes the directory for what follows, or for
// what it starts, to one that is not known to be in the workspace.
func (v *view) moves(c *bash.Command) bool {
	words := c.Words
	var to []bash.Word
	switch c.Name {
	case "cd", "pushd":
		for _, w := range words[1:] {
			if w.Known && (w.Text == "-P" || w.Text == "-L" || w.Text == "--" || w.Text == "-e") {
				continue
			}
			to = append(to, w)
		}
		if len(to) == 0 {
			return true // home, or where it was before
		}
	case "env", "sudo":
		for i, w := range words {
			switch {
			case w.Text == "-C" || w.Text == "-D" || w.Text == "--chdir":
				to = append(to, words[min(i+1, len(words)-1)])
			case strings.HasPrefix(w.Text, "--chdir="), strings.HasPrefix(w.Text, "-C"), strings.HasPrefix(w.Text, "-D"):
				return true
			}
		}
	case "chroot", "popd":
		return true
	}
	for _, w := range to {
		if !w.Known || !v.rules.space.inside(w.Text) {
			return true
		}
		v.dirs = append(v.dirs, v.rules.space.absolute(w.Text))
	}
	return false
}

// inside reports whether a file that a line names is in the workspace, whichever of the
// directories that the line goes to it is relative to.
func (v *view) inside(file string) bool {
	space := v.rules.space
	if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || len(v.dirs) == 0 && !v.moved {
		return space.inside(file)
	}
	if v.moved || strings.Contains(file, "..") && !space.inside(file) { // a cd may fail
		return false
	}
	for _, dir := range v.dirs {
		if !space.inside(dir + "/" + file) {
			return false
		}
	}
	return true
}

// doubt says why the call cannot be understood; "" if it can.
func (v *view) doubt(shell bool) string {
	if !shell {
		return ""
	}
	if v.args.err != nil {
		return v.args.err.Error()
	}
	for _, name := range v.variables {
		if bash.Dangerous(name) {
			return "the variable " + shown(name) + " changes what runs"
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
		for _, l := range v.lines {
			for _, w := range l.Writes() {
				if anyGlob(c.Shell.Writes, v.rules.space.absolute(w.Text)) || anyGlob(c.Shell.Writes, resolve(v.rules.space.absolute(w.Text))) {
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
func (c *compiled) matchCommand(command *bash.Command) bool {
	if len(command.Words) == 0 {
		return false
	}
	name := strings.ToLower(command.Name)
	if c.programs != nil && !anyGlob(c.programs, name) {
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

func (c *compiled) matchArguments(command *bash.Command) bool {
	for _, pattern := range c.Shell.Arguments {
		found := false
		for _, w := range command.Words[1:] {
			found = found || glob(pattern, w.Text)
		}
		if !found {
			return false
		}
	}
	return true
}

func inOrder(want []string, words []bash.Word) bool {
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

// allows reports whether a rule that allows speaks of the command: all is known, and
// nothing is meant but the words.
func (c *compiled) allows(command *bash.Command) bool {
	if command.Background || len(command.Words) == 0 || !command.Words[0].Known || !inSystem(command.Words[0].Text) {
		return false
	}
	for _, a := range command.Assigns {
		if !quietVariables[a.Name] && !strings.HasPrefix(a.Name, "LC_") {
			return false
		}
	}
	if c.programs != nil && !anyGlob(c.programs, command.Name) {
		return false
	}
	if c.prefixes != nil {
		found := false
		for _, p := range c.prefixes {
			found = found || begins(command, p)
		}
		if !found {
			return false
		}
	}
	return c.matchArguments(command)
}

func begins(command *bash.Command, prefix []string) bool {
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
var quietVariables = map[string]bool{"LANG": true, "LANGUAGE": true, "TZ": true, "NO_COLOR": true, "CLICOLOR": true, "FORCE_COLOR": true, "COLUMNS": true, "LINES": true, "CI": true}

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
