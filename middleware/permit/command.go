// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
	"github.com/toolscope/toolscope/middleware/permit/internal/bash"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// Names, folded, under which tools that run commands commonly take what belongs to one.
var (
	// where the one that is named is missing
	commandNames = foldAll("cmd", "commands", "command_line", "commandLine", "shell_command", "script",
		"code", "input")
	// further words of the command
	argumentNames  = foldAll("args", "argv", "arguments", "parameters")
	directoryNames = foldAll(
		"cwd", "workdir", "work_dir", "working_directory", "workingDirectory", "working_dir", "directory", "dir",
	)
	variableNames = foldAll("env", "environment", "variables")
	severalName   = arguments.Fold("commands")
	// quietNames are further arguments that change neither what runs nor where.
	quietNames = foldAll("timeout", "timeout_seconds", "timeout_ms", "timeoutMs", "timeout_sec",
		"time_limit", "max_time",
		"yield_time_ms", "wait_seconds", "wait", "description", "explanation", "reason", "justification",
		"title", "summary",
		"is_background", "run_in_background", "background", "blocking", "max_output", "max_output_tokens",
		"max_output_bytes",
		"max_lines", "id", "call_id", "thought", "thoughts", "is_dangerous", "requires_approval", "security_risk",
		"restart", "label", "input", "stdin")
)

func foldAll(names ...string) []string {
	for i, n := range names {
		names[i] = arguments.Fold(n)
	}
	return names
}

// readLines reads the command lines among the arguments. All members are read that
// some decoder may take for the command.
func (v *view) readLines(argument string) {
	args := v.arguments()
	found := args.Folded[argument]
	for _, name := range commandNames {
		if len(args.Folded[argument]) == 0 {
			for _, value := range args.Folded[name] {
				found = append(found, separate(value, name == severalName)...)
			}
		}
	}
	if len(found) == 0 {
		v.unread("the call has no command that is known to be one")
	}
	for name, values := range args.Folded {
		if !v.expects(name, argument) &&
			slices.ContainsFunc(values, func(value any) bool { return given(name, value) }) {
			v.unread("the argument " + shown(strings.ToLower(name)) + " stands next to the command, and is not known")
		}
	}
	for _, value := range found {
		v.readCommand(value)
	}
	v.readDirectories()
	for _, name := range variableNames {
		for _, value := range args.Folded[name] {
			v.readVariables(value)
		}
	}
	if first := beginning.FindStringSubmatch(v.source); first != nil {
		v.space.Begin(first[1])
	}
	for _, l := range v.lines {
		for i := range l.Commands {
			v.move(&l.Commands[i])
		}
	}
}

// beginning is a line that goes on only if a change of the directory worked.
var beginning = regexp.MustCompile(`^cd (/[A-Za-z0-9_./@+-]+) && `)

// readDirectories reads where the call says that files lie.
func (v *view) readDirectories() {
	args := v.args
	for _, name := range directoryNames {
		for _, dir := range args.Folded[name] {
			switch d, ok := dir.(string); {
			case dir == nil || ok && d == "":
			case !ok:
				v.space.Lose()
			default:
				v.space.Start(d)
			}
		}
	}
}

// expects reports whether the argument is read, or known to change nothing.
func (v *view) expects(name, argument string) bool {
	return name == argument || slices.Contains(commandNames, name) && len(v.args.Folded[argument]) == 0 ||
		slices.Contains(argumentNames, name) || slices.Contains(directoryNames, name) ||
		slices.Contains(variableNames, name) || slices.Contains(quietNames, name)
}

// given reports whether an argument has a value that says something. A false does, unless the name says what it
// switches off: sandbox is not like dangerouslyDisableSandbox.
func given(name string, value any) bool {
	if value == false {
		return !slices.ContainsFunc(switches, func(s string) bool { return strings.Contains(name, s) })
	}
	return value != nil && value != ""
}

var switches = foldAll("danger", "disable", "skip", "bypass", "unsafe", "force", "elevat", "privileg",
	"escalat", "background",
	"verbose", "interactive", "login", "pty", "tty", "stream", "detach", "async", "debug")

// separate are the commands of a list of several, or the value itself.
func separate(value any, several bool) []any {
	if list, ok := value.([]any); ok && several {
		return list
	}
	return []any{value}
}

// unread notes that the command cannot be determined.
func (v *view) unread(why string) {
	if v.args.Err == nil {
		v.args.Err = errors.New(why)
	}
}

// readCommand reads a line of a shell, or a list of words: of those a tool may run the first with
// the others as its arguments, or give a shell all of them as a line or each as one.
func (v *view) readCommand(value any) {
	more := v.furtherWords()
	switch c := value.(type) {
	case string:
		switch {
		case len(more) == 0:
			v.source = c
		case !bash.Plain(c):
			v.unread("the command is more than words, and further words stand next to it")
		}
		joined := c + " " + strings.Join(more, " ")
		for _, w := range more {
			c += " " + quoted(w)
		}
		v.lines = append(v.lines, bash.Parse(c))
		if slices.ContainsFunc(more, func(w string) bool { return operator(w) }) {
			v.lines = append(v.lines, bash.Parse(joined)) // a tool may join the words for a shell
		}
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
		if slices.ContainsFunc(c, operator) && line == "" {
			line = strings.Join(arguments.Texts(value), " ") // a tool may join the words for a shell
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

// operator reports whether a word is nothing but an operator of a shell, or a substitution: no program gets one as a word.
func operator(word any) bool {
	w, _ := word.(string)
	return w != "" && strings.Trim(w, ";|&<>\n ") == "" || strings.HasPrefix(w, "$(") || strings.HasPrefix(w, "`")
}

// furtherWords are the arguments of the command that stand next to it.
func (v *view) furtherWords() []string {
	var more []string
	for _, name := range argumentNames {
		for _, list := range v.args.Folded[name] {
			texts, several := list.([]any)
			if more = append(more, arguments.Texts(list)...); list != nil && (!several ||
				len(arguments.Texts(list)) < len(texts)) {
				v.unread("the command's arguments are not strings")
			}
		}
	}
	return more
}

// quoted is a word as a shell reads it.
func quoted(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

// readVariables reads the variables that are set for the command, as an object or as NAME=VALUE.
func (v *view) readVariables(value any) {
	switch vars := value.(type) {
	case nil:
	case map[string]any:
		for name, value := range vars {
			text, known := value.(string)
			v.variables = append(v.variables, shell.Assign{Name: name, Value: shell.Word{Text: text, Known: known}})
		}
	case []any:
		for _, w := range arguments.Texts(vars) {
			name, text, _ := strings.Cut(w, "=")
			v.variables = append(v.variables, shell.Assign{Name: name, Value: shell.Word{Text: text, Known: true}})
		}
	default:
		v.unread("the variables of the command are neither an object nor an array")
	}
	slices.SortFunc(v.variables, func(a, b shell.Assign) int { return strings.Compare(a.Name, b.Name) })
}

// pathNames are folded names of arguments that commonly hold paths.
var pathNames = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range []string{"path", "file", "filename", "file_path", "filepath", "paths", "files",
		"dir", "directory",
		"folder", "target", "destination", "dest", "source", "output_path", "new_path", "old_path",
		"target_file", "notebook_path",
		"from", "to", "src", "dst", "from_path", "to_path", "source_path", "destination_path", "dest_path",
		"target_path", "source_file",
		"destination_file", "new_file", "old_file", "output_file", "absolute_path", "relative_path",
		"new_name", "old_name", "uri", "cwd"} {
		m[arguments.Fold(n)] = true
	}
	return m
}()
