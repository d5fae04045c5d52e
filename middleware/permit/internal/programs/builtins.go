// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import "strings"

func (r inspector) eval(c *shell.Command, in shell.Input) {
	words := c.Words[1:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	r.ReadCode(c, shell.Join(words), in)
}

func (r inspector) sources(c *shell.Command, in shell.Input) {
	r.Doubt(shell.DoubtCode, c.Name+" runs code of a file")
	if len(c.Words) > 1 && (c.Words[1].Text == "/dev/stdin" || c.Words[1].Text == "/dev/fd/0") && in.Text != "" {
		r.ReadCode(c, shell.Word{Text: in.Text, Known: in.Known}, shell.Input{Given: true})
	}
}

func (r inspector) trap(c *shell.Command, in shell.Input) {
	words := c.Words[1:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || words[0].Known && (words[0].Text == "-" || words[0].Text == "-p" || words[0].Text == "-l" ||
		words[0].Text == "") {
		return
	}
	r.ReadCode(c, words[0], in)
}

func (r inspector) alias(c *shell.Command, in shell.Input) {
	for _, w := range c.Words[1:] {
		if !w.Known || strings.Contains(w.Text, "=") {
			r.Doubt(shell.DoubtName, "an alias gives a name another meaning")
			if _, code, ok := strings.Cut(w.Text, "="); ok {
				r.ReadCode(c, shell.Word{Text: code, Known: w.Known}, in)
			}
		}
	}
}

// names doubts arguments that bash evaluates as names with an index: the index may
// run a command.
func (r inspector) names(c *shell.Command, _ shell.Input) {
	for _, w := range c.Words[1:] {
		if i := strings.IndexByte(w.Text, '['); i >= 0 && strings.ContainsAny(w.Text[i:], "$`") {
			r.Doubt(shell.DoubtArithmetic, c.Name+" evaluates "+shell.Clip(w.Text))
		}
		if c.Name == "unset" && shell.Dangerous(w.Text) {
			r.Doubt(shell.DoubtVariable, "without the variable "+w.Text+" other programs may run")
		}
		if !w.Known && (c.Name == "let" || c.Name == "unset") {
			r.Doubt(shell.DoubtArithmetic, c.Name+" evaluates what is computed")
		}
	}
	if c.Name != "test" && c.Name != "[" {
		return
	}
	for i, w := range c.Words {
		if (w.Text == "-v" || w.Text == "-R") && i+1 < len(c.Words) && !c.Words[i+1].Known {
			r.Doubt(shell.DoubtArithmetic, c.Name+" evaluates what is computed")
		}
	}
}

// reads is a builtin that sets variables named by its arguments.
func (r inspector) reads(c *shell.Command, in shell.Input) {
	r.names(c, in)
	words := c.Words[1:]
	if c.Name == "printf" {
		if len(words) < 2 || words[0].Text != "-v" {
			if len(words) > 0 && (words[0].Loose || strings.HasPrefix(words[0].Text, "-v")) {
				r.Doubt(shell.DoubtVariable, "printf may set a variable")
			}
			return
		}
		words = words[1:2]
	}
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-C") || strings.HasPrefix(w.Text, "-c") && c.Name != "read" {
			r.Doubt(shell.DoubtCode, c.Name+" runs code for each line")
		}
		if !w.Known {
			r.Doubt(shell.DoubtVariable, "the name of a variable is computed")
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(w.Text, "-a"), "[")
		if shell.IsPlainName(name) && !shell.IsNumber(name) {
			r.SetVariable(shell.Assign{Name: name})
		}
	}
	if len(words) == 0 {
		r.SetVariable(shell.Assign{Name: map[string]string{"read": "REPLY"}[c.Name]})
	}
}

// loads is a builtin with options that change what names mean.
func (r inspector) loads(c *shell.Command, in shell.Input) {
	bad := map[string]string{"enable": "fdna", "hash": "p", "bind": "x", "complete": "CF", "compgen": "CFW",
		"compopt": "", "fc": "se", "jobs": "x", "history": ""}[c.Name]
	for _, w := range c.Words[1:] {
		if w.Loose {
			r.Doubt(shell.DoubtOption, "an argument of "+c.Name+" that is computed")
		}
		if c.Name == "shopt" {
			switch w.Text {
			case "extglob", "expand_aliases", "sourcepath", "lastpipe", "compat31", "compat32", "compat40",
				"compat41",
				"compat42", "compat43", "compat44", "compat50", "compat51", "compat52", "nocaseglob", "nocasematch",
				"dotglob",
				"globstar", "globskipdots", "nullglob", "failglob", "cdable_vars", "cdspell", "autocd", "dirspell",
				"xpg_echo", "patsub_replacement", "assoc_expand_once", "array_expand_once":
				r.Doubt(shell.DoubtName, "the shell option "+w.Text+" changes how a line is read")
			}
			continue
		}
		if c.Name == "set" {
			if w.Text == "--" {
				return
			}
			if w.Text == "posix" || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "kBH") {
				r.Doubt(shell.DoubtName, "the shell option "+w.Text+" changes how a line is read")
			}
			continue
		}
		if strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, bad) {
			r.Doubt(shell.DoubtName, c.Name+" "+shell.Clip(w.Text)+" changes what a name means, or runs code")
		}
	}
	if c.Name == "jobs" && len(c.Words) > 2 && c.Words[1].Text == "-x" {
		r.StartCommand(c, c.Words[2:], nil, in)
	}
	if c.Name == "fc" {
		r.Doubt(shell.DoubtCode, "fc runs an editor and code of the history")
	}
}
