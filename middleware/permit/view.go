// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/arguments"
	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
	"github.com/toolscope/toolscope/middleware/permit/internal/workspace"
	"github.com/toolscope/toolscope/toolkit"
)

// view is a call as the rules look at it. Arguments and shell lines are read when a rule
// first asks.
type view struct {
	rules     *Rules
	name      string
	tool      *toolkit.Definition
	text      []byte // of the arguments
	args      *arguments.Arguments
	source    string        // the command as it is written, if it is one text
	lines     []*shell.Line // of a tool that runs shell commands
	space     workspace.Place
	variables []shell.Assign // that the call sets for the command
	files     []shell.Word   // that the lines write, once listed
	listed    bool
	uses      map[*shell.Command]profile.Use
}

// use is what the highest level of a program's profile says of a command.
func (v *view) use(c *shell.Command) profile.Use {
	use, ok := v.uses[c]
	if p := profile.Find(strings.ToLower(c.Name)); p != nil && !ok {
		if v.uses == nil {
			v.uses = map[*shell.Command]profile.Use{}
		}
		use = p.Check(c.Words[1:], p.Top(), true)
		v.uses[c] = use
	}
	return use
}

// writes are the files that the lines write.
func (v *view) writes() []shell.Word {
	if !v.listed {
		v.listed = true
		for _, l := range v.lines {
			v.files = append(v.files, outputs.Writes(l)...)
		}
	}
	return v.files
}

func (v *view) arguments() *arguments.Arguments {
	if v.args == nil {
		v.args = arguments.Read(v.text, v.rules.names)
	}
	return v.args
}

// programs are the programs that the lines start, as they are written.
func (v *view) programs() (programs []string) {
	for _, l := range v.lines {
		for _, c := range l.Commands {
			if len(c.Words) > 0 && c.Name != "" {
				programs = append(programs, c.Words[0].Text)
			}
		}
	}
	return programs
}

func (v *view) evaluate(c *arguments.Condition) (bool, error) {
	category := ""
	if v.tool != nil {
		category = v.tool.Category
	}
	return c.Holds(v.arguments(), v.name, category)
}

// paths are the values of arguments whose names are commonly used for paths.
func (v *view) paths() []string {
	var paths []string
	for name, values := range v.arguments().Folded {
		if pathNames[name] {
			for _, value := range values {
				paths = append(paths, arguments.Texts(value)...)
			}
		}
		if patchNames[name] {
			for _, value := range values {
				for _, text := range arguments.Texts(value) {
					paths = append(paths, patched(text)...)
				}
			}
		}
	}
	return paths
}
