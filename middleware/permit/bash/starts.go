// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// starts lists what a command starts, and doubts what that may be.
func (r *reader) starts(c *Command, in input) {
	name := program(c.Name)
	if f := builtins[name]; f != nil {
		f(r, c, in)
		return
	}
	if w := wrappers[name]; w != nil {
		r.wrap(w, c, in)
		return
	}
	if s := shells[name]; s != nil {
		r.runsShell(s, c, in)
		return
	}
	if i := interpreters[name]; i != nil {
		r.interpret(i, c, in)
		return
	}
	if f := special[name]; f != nil {
		f(r, c, in)
	}
	if at, ok := launchers[name]; ok {
		r.launch(at, c, in)
	}
	if h := hidden[name]; h != nil {
		r.looksFor(h, c)
	}
	r.tells(c, name)
}

var builtins, special map[string]func(*reader, *Command, input)

func init() { // the functions use the tables
	builtins = map[string]func(*reader, *Command, input){
		"eval": (*reader).eval, ".": (*reader).sources, "source": (*reader).sources, "trap": (*reader).trap,
		"alias": (*reader).alias, "read": (*reader).reads, "mapfile": (*reader).reads, "readarray": (*reader).reads, "getopts": (*reader).reads,
		"printf": (*reader).reads, "test": (*reader).names, "[": (*reader).names, "unset": (*reader).names, "let": (*reader).names, "wait": (*reader).names,
		"enable": (*reader).loads, "hash": (*reader).loads, "bind": (*reader).loads, "complete": (*reader).loads, "compgen": (*reader).loads, "compopt": (*reader).loads,
		"fc": (*reader).loads, "shopt": (*reader).loads, "set": (*reader).loads, "jobs": (*reader).loads, "history": (*reader).loads,
		"declare": (*reader).names, "typeset": (*reader).names, "local": (*reader).names, "export": (*reader).names, "readonly": (*reader).names,
	}
	special = map[string]func(*reader, *Command, input){
		"find": (*reader).find, "fd": (*reader).fd, "fdfind": (*reader).fd, "parallel": (*reader).parallel, "git": (*reader).git,
		"awk": (*reader).awk, "gawk": (*reader).awk, "mawk": (*reader).awk, "nawk": (*reader).awk, "sed": (*reader).sed, "gsed": (*reader).sed,
		"make": (*reader).mk, "gmake": (*reader).mk, "entr": (*reader).entr, "start-stop-daemon": (*reader).daemon,
	}
}

// program is the name that the tables know: without a version (python3.11, perl5),
// a variant (vim.tiny) or capital letters, which some file systems do not tell apart.
func program(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return "ld.so" // the loader runs the program that it is given
	}
	if known(name) {
		return name
	}
	if head, tail, ok := strings.Cut(name, "."); ok && known(head) && !scripts[tail] {
		return head
	}
	if cut := strings.TrimRight(name, "0123456789.-"); cut != name && known(cut) {
		return cut
	}
	return name
}

// scripts are the endings of files of code, whose name is no program's: env.sh, script.py.
var scripts = map[string]bool{"sh": true, "bash": true, "zsh": true, "py": true, "rb": true, "pl": true, "js": true, "mjs": true, "cjs": true, "ts": true, "php": true, "lua": true, "go": true, "awk": true, "sed": true, "bat": true, "cmd": true, "ps1": true}

func known(name string) bool {
	return builtins[name] != nil || wrappers[name] != nil || shells[name] != nil || interpreters[name] != nil || special[name] != nil || hidden[name] != nil
}

func (r *reader) eval(c *Command, in input) {
	words := c.Words[1:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	r.shell(c, joined(words), in)
}

func (r *reader) sources(c *Command, in input) {
	r.line.doubt(DoubtCode, c.Name+" runs code of a file")
	if len(c.Words) > 1 && (c.Words[1].Text == "/dev/stdin" || c.Words[1].Text == "/dev/fd/0") && in.text != "" {
		r.shell(c, Word{Text: in.text, Known: in.known}, input{given: true})
	}
}

func (r *reader) trap(c *Command, in input) {
	words := c.Words[1:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || words[0].Known && (words[0].Text == "-" || words[0].Text == "-p" || words[0].Text == "-l" || words[0].Text == "") {
		return
	}
	r.shell(c, words[0], in)
}

func (r *reader) alias(c *Command, in input) {
	for _, w := range c.Words[1:] {
		if !w.Known || strings.Contains(w.Text, "=") {
			r.line.doubt(DoubtName, "an alias gives a name another meaning")
			if _, code, ok := strings.Cut(w.Text, "="); ok {
				r.shell(c, Word{Text: code, Known: w.Known}, in)
			}
		}
	}
}

// names doubts arguments that bash evaluates as names with an index: the index may
// run a command.
func (r *reader) names(c *Command, _ input) {
	for _, w := range c.Words[1:] {
		if i := strings.IndexByte(w.Text, '['); i >= 0 && strings.ContainsAny(w.Text[i:], "$`") {
			r.line.doubt(DoubtArithmetic, c.Name+" evaluates "+clip(w.Text))
		}
		if c.Name == "unset" && Dangerous(w.Text) {
			r.line.doubt(DoubtVariable, "without the variable "+w.Text+" other programs may run")
		}
		if !w.Known && (c.Name == "let" || c.Name == "unset") {
			r.line.doubt(DoubtArithmetic, c.Name+" evaluates what is computed")
		}
	}
	if c.Name != "test" && c.Name != "[" {
		return
	}
	for i, w := range c.Words {
		if (w.Text == "-v" || w.Text == "-R") && i+1 < len(c.Words) && !c.Words[i+1].Known {
			r.line.doubt(DoubtArithmetic, c.Name+" evaluates what is computed")
		}
	}
}

// reads is a builtin that sets variables named by its arguments.
func (r *reader) reads(c *Command, in input) {
	r.names(c, in)
	words := c.Words[1:]
	if c.Name == "printf" {
		if len(words) < 2 || words[0].Text != "-v" {
			if len(words) > 0 && (words[0].loose || strings.HasPrefix(words[0].Text, "-v")) {
				r.line.doubt(DoubtVariable, "printf may set a variable")
			}
			return
		}
		words = words[1:2]
	}
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-C") || strings.HasPrefix(w.Text, "-c") && c.Name != "read" {
			r.line.doubt(DoubtCode, c.Name+" runs code for each line")
		}
		if !w.Known {
			r.line.doubt(DoubtVariable, "the name of a variable is computed")
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(w.Text, "-a"), "[")
		if plainName(name) && !number(name) {
			r.set(Assign{Name: name})
		}
	}
	if len(words) == 0 {
		r.set(Assign{Name: map[string]string{"read": "REPLY"}[c.Name]})
	}
}

// loads is a builtin with options that change what names mean.
func (r *reader) loads(c *Command, in input) {
	bad := map[string]string{"enable": "fdna", "hash": "p", "bind": "x", "complete": "CF", "compgen": "CFW", "compopt": "", "fc": "se", "jobs": "x", "history": ""}[c.Name]
	for _, w := range c.Words[1:] {
		if w.loose {
			r.line.doubt(DoubtOption, "an argument of "+c.Name+" that is computed")
		}
		if c.Name == "shopt" {
			switch w.Text {
			case "extglob", "expand_aliases", "sourcepath", "lastpipe", "compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "patsub_replacement", "assoc_expand_once", "array_expand_once":
				r.line.doubt(DoubtName, "the shell option "+w.Text+" changes how a line is read")
			}
			continue
		}
		if c.Name == "set" {
			if w.Text == "--" {
				return
			}
			if w.Text == "posix" || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "kBH") {
				r.line.doubt(DoubtName, "the shell option "+w.Text+" changes how a line is read")
			}
			continue
		}
		if strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, bad) {
			r.line.doubt(DoubtName, c.Name+" "+clip(w.Text)+" changes what a name means, or runs code")
		}
	}
	if c.Name == "jobs" && len(c.Words) > 2 && c.Words[1].Text == "-x" {
		r.nested(c, c.Words[2:], nil, in)
	}
	if c.Name == "fc" {
		r.line.doubt(DoubtCode, "fc runs an editor and code of the history")
	}
}
