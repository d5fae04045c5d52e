// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command.
func (r *reader) call(c *syntax.CallExpr, in input) {
	slot := -1
	if len(c.Args) > 0 {
		slot = r.reserve()
	}
	var assigns []Assign
	reads := len(c.Args) > 0 && c.Args[0].Lit() == "read"
	for _, a := range c.Assigns {
		v := r.assign(a)
		if !reads || v.Name != "IFS" { // while IFS= read: for this command alone, and it runs nothing
			r.set(v)
		}
		assigns = append(assigns, v)
	}
	if slot < 0 {
		r.line.Assigns = append(r.line.Assigns, assigns...)
		return
	}
	words := make([]Word, len(c.Args))
	for i, a := range c.Args {
		words[i] = r.word(a)
	}
	r.command(slot, words, assigns, in)
}

// reserve takes the next place in the list of commands, so that a command comes
// before those of its own substitutions. -1, with a doubt, if there are too many.
func (r *reader) reserve() int {
	if len(r.line.Commands) >= maxCommands {
		r.line.doubt(DoubtLimit, "the command line has too many commands")
		return -1
	}
	r.line.Commands = append(r.line.Commands, Command{Via: r.via, Background: r.background})
	return len(r.line.Commands) - 1
}

// add lists a command that has no words of interest.
func (r *reader) add(name string, in input) {
	r.command(r.reserve(), []Word{{Text: name, Known: true}}, nil, in)
}

// command fills the place with a command, and lists what it starts.
func (r *reader) command(slot int, words []Word, assigns []Assign, in input) {
	if slot < 0 {
		return
	}
	defer r.leave()
	if !r.enter() {
		return
	}
	if !words[0].Known {
		r.line.doubt(DoubtCommand, "the name of a command is computed: "+clip(words[0].Text))
		words = guess(words)
	}
	c := &r.line.Commands[slot]
	c.Assigns = assigns
	if len(words) == 0 {
		return
	}
	c.Name, c.Words = base(words[0].Text), words
	if words[0].Text == "" || c.Name == "" {
		r.line.doubt(DoubtCommand, "a command without a name")
		return
	}
	if in.given && strings.HasPrefix(words[0].Text, "-") {
		r.line.doubt(DoubtCommand, "a command that looks like an option: "+clip(words[0].Text))
	}
	known := *c // the list may move while others are added
	r.starts(&known, in)
}

// guess cuts what is computed at blanks and leaves out what may be nothing, as bash
// does where there are no quotes.
func guess(words []Word) []Word {
	var out []Word
	for _, w := range words {
		braces := strings.Contains(w.Text, "{") && strings.Contains(w.Text, ",")
		if w.Known || !w.split && !braces {
			out = append(out, w)
			continue
		}
		if braces {
			w.Text = strings.NewReplacer("{", " ", ",", " ", "}", " ").Replace(w.Text)
		}
		for _, f := range strings.Fields(w.Text) {
			out = append(out, Word{Text: f, loose: true})
		}
	}
	return out
}

// base is the last part of a path.
func base(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

// clip shortens text for a doubt. Whoever shows it redacts it, so a word that is cut
// is left out: half a secret is not found.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:strings.LastIndexAny(s[:most], " \n\t")+1] + "…"
}

func (r *reader) addRedirect(d Redirect) {
	if network(d.Target.Text) {
		r.line.doubt(DoubtNetwork, "a redirection opens a connection to "+clip(d.Target.Text[len("/dev/tcp/"):]))
	}
	if len(r.line.Redirects) >= maxCommands {
		r.line.doubt(DoubtLimit, "the command line has too many redirections")
		return
	}
	r.line.Redirects = append(r.line.Redirects, d)
}

// network reports whether bash opens a connection instead of the file.
func network(file string) bool {
	return strings.HasPrefix(file, "/dev/tcp/") || strings.HasPrefix(file, "/dev/udp/")
}

// nested lists a command that c starts with these words.
func (r *reader) nested(c *Command, words []Word, assigns []Assign, in input) {
	if len(words) == 0 {
		return
	}
	if r.wraps++; r.wraps > maxWraps {
		r.line.doubt(DoubtLimit, "too many commands that start another")
	} else {
		defer func(old string) { r.via = old }(r.via)
		r.via = c.Name
		r.command(r.reserve(), words, assigns, in)
	}
	r.wraps--
}

// shell reads text as shell code that c runs.
func (r *reader) shell(c *Command, code Word, in input) {
	if !code.Known {
		r.line.doubt(DoubtCode, c.Name+" runs code that is computed")
	}
	if code.Text == "" {
		return
	}
	if r.codes++; r.codes > maxCode {
		r.line.doubt(DoubtLimit, "code inside code, too deep")
	} else {
		defer func(old string) { r.via = old }(r.via)
		r.via = c.Name
		r.code(code.Text, in)
	}
	r.codes--
}

// joined is the words with a blank between them.
func joined(words []Word) Word {
	var text strings.Builder
	known := true
	for i, w := range words {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(w.Text)
		known = known && w.Known
	}
	return Word{Text: text.String(), Known: known}
}
