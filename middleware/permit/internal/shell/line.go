// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

// MaxLength is the longest line that is read, in bytes: 1 MiB. A longer one is a
// doubt as a whole.
const MaxLength = 1 << 20

// A Line is what a command line starts, reads, writes and sets.
type Line struct {
	// Commands are the simple commands in the order they are written, a wrapper
	// before what it starts. Functions' bodies and branches that may never run count.
	Commands []Command
	// Redirects are the redirections to and from files.
	Redirects []Redirect
	// Assigns are the variables that the line sets in the shell itself; those before a
	// command are the command's.
	Assigns []Assign
	// Secrets are variables of the environment that the line expands, and whose names say that they hold credentials.
	Secrets []string
	// Tree is the syntax tree that was read, of package bash.
	Tree any
	// Doubts are what could not be understood, at most 32.
	Doubts []Doubt
}

// A Command is one simple command.
type Command struct {
	// Name is the base name of the program, builtin or function: "git" for
	// /usr/bin/git. "" if not even a guess is possible.
	Name string
	// Words are the command's words after quotes are removed; the first is the
	// command as written.
	Words []Word
	// Assigns are the variables that are set for this command alone.
	Assigns []Assign
	// Via is the base name of the program that starts the command: "xargs", "sh". ""
	// is the shell that reads the line.
	Via string
	// Background says that the shell does not wait for the command.
	Background bool
}

// A Word is one word of a command.
type Word struct {
	// Text is the word without quotes. If it is not known, it is the best reading:
	// what is computed is missing, or is what the line itself lets one guess.
	Text string
	// Known says that the program gets exactly Text, as one word.
	Known bool

	Loose bool // may turn into an option, or into several words
	Split bool // unquoted: is cut at blanks
	Pipe  bool // a process substitution: no file, but what joins two programs
}

// A Redirect is a redirection to or from a file, or a file that a known program
// writes ([Line.Writes]).
type Redirect struct {
	Target Word
	// Read and Write tell what is done to the file; <> does both.
	Read, Write bool
}

// An Assign sets a variable.
type Assign struct {
	Name  string
	Value Word
}

// A Doubt is a reason why a line cannot be fully understood.
type Doubt struct {
	Kind DoubtKind
	// Text tells a person what it is about. It may quote the line.
	Text string
}

// DoubtKind is the kind of a doubt: a short word in lower case.
type DoubtKind string

// The kinds of doubts.
const (
	DoubtSyntax     DoubtKind = "syntax"     // bash cannot read it, or another way than we do
	DoubtCharacter  DoubtKind = "character"  // control, bidirectional or invisible characters, invalid UTF-8
	DoubtLimit      DoubtKind = "limit"      // too long, too deep, too many
	DoubtCommand    DoubtKind = "command"    // the name of a command is computed
	DoubtCode       DoubtKind = "code"       // shell code that is computed or read from elsewhere
	DoubtForeign    DoubtKind = "foreign"    // code in another language
	DoubtOption     DoubtKind = "option"     // an option by which a program starts another, or one not known
	DoubtVariable   DoubtKind = "variable"   // a variable that changes what runs
	DoubtName       DoubtKind = "name"       // a function or alias changes what a name means
	DoubtArithmetic DoubtKind = "arithmetic" // bash evaluates a text that is not known
	DoubtNetwork    DoubtKind = "network"    // a redirection that opens a connection
)

// MaxDoubts is how many doubts a line keeps.
const MaxDoubts = 32

// Understood reports that there is no doubt.
func (l *Line) Understood() bool { return len(l.Doubts) == 0 }

// Programs are the base names of the commands, in order, as often as they occur;
// commands without a name are left out.
func (l *Line) Programs() []string {
	names := make([]string, 0, len(l.Commands))
	for i := range l.Commands {
		if name := l.Commands[i].Name; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Doubt adds a doubt, unless there are too many.
func (l *Line) Doubt(kind DoubtKind, text string) {
	if len(l.Doubts) < MaxDoubts {
		l.Doubts = append(l.Doubts, Doubt{kind, text})
	}
}

// Input is what a command reads.
type Input struct {
	Text  string // the text, or a guess
	Given bool   // the line itself says where the input comes from
	Known bool   // text is all of it
}
