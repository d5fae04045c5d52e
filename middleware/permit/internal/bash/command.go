// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/programs"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command.
func (r *reader) call(c *syntax.CallExpr, in shell.Input) {
	slot := -1
	if len(c.Args) > 0 {
		slot = r.reserve()
	}
	var assigns []shell.Assign
	reads := len(c.Args) > 0 && c.Args[0].Lit() == "read"
	for _, a := range c.Assigns {
		v := r.assign(a)
		if !reads || v.Name != "IFS" { // while IFS= read: for this command alone, and it runs nothing
			r.SetVariable(v)
		}
		assigns = append(assigns, v)
	}
	if slot < 0 {
		r.line.Assigns = append(r.line.Assigns, assigns...)
		return
	}
	words := make([]shell.Word, len(c.Args))
	for i, a := range c.Args {
		words[i] = r.word(a)
	}
	r.command(slot, words, assigns, in)
}

// addCommand lists a command that has no words of interest.
func (r *reader) addCommand(name string, in shell.Input) {
	r.command(r.reserve(), []shell.Word{{Text: name, Known: true}}, nil, in)
}

// command fills the place with a command, and lists what it starts.
func (r *reader) command(slot int, words []shell.Word, assigns []shell.Assign, in shell.Input) {
	if slot < 0 {
		return
	}
	defer r.leave()
	if !r.enter() {
		return
	}
	if !words[0].Known {
		r.line.Doubt(shell.DoubtCommand, "the name of a command is computed: "+shell.Clip(words[0].Text))
		words = guess(words)
	}
	c := &r.line.Commands[slot]
	c.Assigns = assigns
	if len(words) == 0 {
		return
	}
	c.Name, c.Words = shell.BaseName(words[0].Text), words
	if words[0].Text == "" || c.Name == "" {
		r.line.Doubt(shell.DoubtCommand, "a command without a name")
		return
	}
	if in.Given && strings.HasPrefix(words[0].Text, "-") {
		r.line.Doubt(shell.DoubtCommand, "a command that looks like an option: "+shell.Clip(words[0].Text))
	}
	known := *c // the list may move while others are added
	programs.Inspect(r, &known, in)
}

// guess cuts what is computed at blanks and leaves out what may be nothing, as bash
// does where there are no quotes.
func guess(words []shell.Word) []shell.Word {
	var out []shell.Word
	for _, w := range words {
		braces := strings.Contains(w.Text, "{") && strings.Contains(w.Text, ",")
		if w.Known || !w.Split && !braces {
			out = append(out, w)
			continue
		}
		if braces {
			w.Text = strings.NewReplacer("{", " ", ",", " ", "}", " ").Replace(w.Text)
		}
		for _, f := range strings.Fields(w.Text) {
			out = append(out, shell.Word{Text: f, Loose: true})
		}
	}
	return out
}

// StartCommand lists a command that c starts with these words.
func (r *reader) StartCommand(c *shell.Command, words []shell.Word, assigns []shell.Assign, in shell.Input) {
	if len(words) == 0 {
		return
	}
	if r.wraps++; r.wraps > maxWraps {
		r.line.Doubt(shell.DoubtLimit, "too many commands that start another")
	} else {
		defer func(old string) { r.via = old }(r.via)
		r.via = c.Name
		r.command(r.reserve(), words, assigns, in)
	}
	r.wraps--
}
