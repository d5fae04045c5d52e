// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// An Effect is what a rule or a decision says. The order is that of precedence: the
// greater one wins.
type Effect uint8

// The effects. The zero Effect says nothing.
const (
	Unsaid Effect = iota
	Allow
	Ask
	Deny
)

var effectNames = [...]string{"", "allow", "ask", "deny"}

// String is "allow", "ask", "deny", or "" for nothing said.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "unknown"
}

// A Spec is a set of rules as it is written. The zero Spec is the built-in rules.
type Spec struct {
	// Shadow records decisions without acting on them: `enforce: false` in a file.
	Shadow bool `yaml:"-"`
	// Default holds where no rule speaks; Unsaid is Allow.
	Default Effect `yaml:"default"`
	// NoBuiltin leaves the built-in rules out. Lines that are not understood are
	// asked all the same.
	NoBuiltin bool `yaml:"-"`
	// Workspace are the directories in which files may be written, absolute or
	// relative to the process's working directory; nil is that directory.
	Workspace []string `yaml:"workspace"`
	// Shells are patterns of the names of tools that run shell commands, each with the
	// name of the argument that holds the command; nil are the names that are
	// commonly used, shell_run and bash among them. An empty map is none.
	Shells map[string]string `yaml:"shells"`
	// Rules are evaluated together: their order does not matter.
	Rules []Rule `yaml:"rules"`
}

// A Rule says something about the calls that all its conditions hold for.
type Rule struct {
	// Name is what decisions, spans and logs call the rule: 1 to 64 letters, digits,
	// '-', '_', '.', unique among the rules.
	Name   string `yaml:"name"`
	Effect Effect `yaml:"effect"`
	// Tools are patterns of tool names, of which one must match; nil is every tool. '*' is any text,
	// '?' one character.
	Tools []string `yaml:"tools"`
	// Categories and Risks are those of the tool's definition, of which one must match; nil
	// is any.
	Categories []string       `yaml:"categories"`
	Risks      []toolkit.Risk `yaml:"risks"`
	// ReadOnly, Idempotent, Destructive and OpenWorld are the tool's annotations. A
	// tool that says nothing counts as one that writes, destroys, must not be
	// repeated and reaches the open world. Unsaid is any.
	ReadOnly    toolkit.Hint `yaml:"read_only"`
	Idempotent  toolkit.Hint `yaml:"idempotent"`
	Destructive toolkit.Hint `yaml:"destructive"`
	OpenWorld   toolkit.Hint `yaml:"open_world"`
	// When is a condition on the call in the language of expr-lang.org; "" is always.
	// It sees args (the arguments), tool and category. See docs/permission.md.
	When string `yaml:"when"`
	// Where are conditions on single arguments: a JSON Pointer, and an expression that
	// sees value (nil if there is none).
	Where map[string]string `yaml:"where"`
	// Paths is a condition on paths among the arguments; nil is none.
	Paths *Paths `yaml:"paths"`
	// Shell is a condition on shell commands; nil is none. A rule with one speaks of
	// tools that run shell commands only.
	Shell *Shell `yaml:"shell"`
	// ForModel tells the model why the call is refused and what else it can do;
	// ForPerson tells the one who is asked what is at stake. "" is a text made of the
	// rule's name and the reason.
	ForModel  string `yaml:"for_model"`
	ForPerson string `yaml:"for_person"`
	// Expires is when the rule ends; the zero time is never.
	Expires time.Time `yaml:"expires"`

	builtin bool
	view    func(v *view) string // a built-in condition: the reason, "" if it does not hold
}

// Paths is a condition on arguments that are paths. It holds for a rule that denies
// or asks if one path is meant, for a rule that allows if there is one and all are.
type Paths struct {
	// Arguments are JSON Pointers of the paths, or of arrays of them; nil are the
	// top-level arguments whose names are commonly used for paths.
	Arguments []string `yaml:"arguments"`
	// Inside and Outside say on which side of the workspace a path is meant. One
	// of the two must be set.
	Inside  bool `yaml:"inside"`
	Outside bool `yaml:"outside"`
}

// Shell is a condition on the commands of a line. All fields that are set must hold
// for one and the same command.
type Shell struct {
	// Prefix are the first words of a command, "git status": of these one must match.
	// For a rule that allows, they must be the very first words, and the program is called by
	// its bare name or lies in a directory of the system. For others the words after
	// the program may have further ones between them.
	Prefix []string `yaml:"prefix"`
	// Programs are patterns of program names, of which one must match. In a rule that allows, a program that
	// has a profile stands for the profile's first level: git for "git: read".
	Programs []string `yaml:"programs"`
	// Profiles are programs with a level of their profile: {"git": "commit"}. They are for rules that allow, and
	// one of them, of Prefix or of Programs must match. docs/permission.md lists them.
	Profiles map[string]string `yaml:"profiles"`
	// Network lets what the rule allows open TCP connections. It is for rules that allow; without it the shell
	// tools refuse connections, where the system can, unless a profile needs them.
	Network bool `yaml:"network"`
	// Arguments are patterns, each of which must match one of the command's words.
	Arguments []string `yaml:"arguments"`
	// Writes are patterns of absolute paths, "/etc/*": the line must write to one. It is
	// for rules that deny or ask.
	Writes []string `yaml:"writes"`
}
