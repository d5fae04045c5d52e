// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "github.com/toolscope/toolscope/middleware/permit/internal/shell"

const (
	maxNesting  = 256     // statements and words inside each other
	maxCode     = 8       // sh -c inside sh -c
	maxWraps    = 32      // env nice nohup …
	maxFrames   = 4 << 10 // of the parser's stack
	maxCommands = 20_000
)

// reader walks the syntax of one line.
type reader struct {
	line       *shell.Line
	text       string // of the code that is read
	depth      int    // of statements and words
	codes      int    // of code inside code
	wraps      int    // of commands started by commands
	via        string // the program that runs the code
	quotes     int    // expansions inside double quotes around the word
	backquotes int    // substitutions in backquotes around it
	end        uint   // where the innermost substitution ends; 0 is none
	// background is on inside what the shell does not wait for.
	background bool
	values     map[string]string // what variables were set to, as far as known
	wild       map[string]bool   // variables that the line may set to something else than a number
	counted    map[string]bool   // variables that arithmetic evaluates
}

// enter goes one level down; false, with a doubt, if that is too deep. leave goes up.
func (r *reader) enter() bool {
	if r.depth++; r.depth > maxNesting {
		r.line.Doubt(shell.DoubtLimit, "the command line is nested too deeply")
		return false
	}
	return true
}

func (r *reader) leave() { r.depth-- }

// reserve takes the next place in the list of commands, so that a command comes
// before those of its own substitutions. -1, with a doubt, if there are too many.
func (r *reader) reserve() int {
	if len(r.line.Commands) >= maxCommands {
		r.line.Doubt(shell.DoubtLimit, "the command line has too many commands")
		return -1
	}
	r.line.Commands = append(r.line.Commands, shell.Command{Via: r.via, Background: r.background})
	return len(r.line.Commands) - 1
}

// Doubt notes what cannot be understood.
func (r *reader) Doubt(kind shell.DoubtKind, text string) { r.line.Doubt(kind, text) }

func (r *reader) AddRedirect(d shell.Redirect) {
	if shell.IsNetwork(d.Target.Text) {
		r.line.Doubt(shell.DoubtNetwork, "a redirection opens a connection to "+shell.Clip(d.Target.Text[len("/dev/tcp/"):]))
	}
	if len(r.line.Redirects) >= maxCommands {
		r.line.Doubt(shell.DoubtLimit, "the command line has too many redirections")
		return
	}
	r.line.Redirects = append(r.line.Redirects, d)
}

// SetVariable notes that a variable gets a value, and doubts what follows from some names.
func (r *reader) SetVariable(a shell.Assign) {
	if shell.DangerousValue(a) {
		r.line.Doubt(shell.DoubtVariable, "the variable "+a.Name+" changes what runs")
	}
	if r.values == nil {
		r.values = map[string]string{}
	}
	if a.Value.Text != "" {
		r.values[a.Name] = a.Value.Text
	}
	if !a.Value.Known || !shell.IsNumber(a.Value.Text) {
		if r.wild == nil {
			r.wild = map[string]bool{}
		}
		r.wild[a.Name] = true
	}
}
