// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// find lists the commands of -exec and its like, and doubts arguments that may turn
// into one.
func (r *reader) find(c *Command, in input) {
	words := c.Words[1:]
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.loose {
			r.line.doubt(DoubtOption, "an argument of find that may be -exec")
		}
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && words[end].Text != ";" && !(words[end].Text == "+" && words[end-1].Text == "{}") {
				end++
			}
			run := make([]Word, 0, end-i)
			for _, x := range words[i+1 : end] {
				if strings.Contains(x.Text, "{}") {
					x.Known, x.loose = false, x.loose || strings.HasPrefix(x.Text, "{}")
				}
				run = append(run, x)
			}
			r.nested(c, run, nil, in)
			i = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(words) {
				r.addRedirect(Redirect{Target: words[i+1], Write: true})
			}
		}
	}
}

// fd lists the command behind -x or -X.
func (r *reader) fd(c *Command, in input) {
	for i, w := range c.Words[1:] {
		if w.loose {
			r.line.doubt(DoubtOption, "an argument of "+c.Name+" that may be --exec")
		}
		name, value, has := strings.Cut(w.Text, "=")
		if name == "-x" || name == "-X" || len(name) > 3 && (strings.HasPrefix("--exec", name) || strings.HasPrefix("--exec-batch", name)) {
			words := append([]Word(nil), c.Words[i+2:]...)
			if has {
				words = append([]Word{{Text: value, Known: w.Known}}, words...)
			}
			r.nested(c, append(words, Word{loose: true}), nil, in)
			return
		}
		if len(name) > 2 && name[0] == '-' && name[1] != '-' && strings.ContainsAny(name, "xX") { // -Hx
			r.line.doubt(DoubtOption, c.Name+" "+clip(name)+" starts a program")
		}
	}
}

// parallel gives a shell the command with arguments that it reads or finds behind :::.
func (r *reader) parallel(c *Command, in input) {
	s := syntaxOf{flags: "0kqtvXmux", values: "jnNLPIsaCdE", long: []string{"jobs=", "keep-order", "quote", "null", "dry-run", "bar", "progress", "eta", "max-args=", "line-buffer", "ungroup", "group", "tag", "will-cite", "halt=", "delay=", "timeout=", "retries=", "xargs", "colsep=", "arg-file=", "link", "shuf", "verbose"}}
	_, rest, sure := s.scan(c.Words[1:])
	if !sure {
		r.line.doubt(DoubtOption, "an option of parallel is not known")
	}
	end := 0
	for end < len(rest) && !strings.HasPrefix(rest[end].Text, ":::") {
		end++
	}
	if end == 0 {
		r.line.doubt(DoubtCode, "parallel runs its arguments or its input as commands")
		for _, w := range rest[min(1, len(rest)):] {
			r.shell(c, w, in)
		}
		return
	}
	code := joined(rest[:end])
	r.shell(c, code, input{given: true})
	if end == len(rest) || strings.HasPrefix(rest[0].Text, "{") || strings.ContainsAny(code.Text, ";|&$`'\"") {
		r.line.doubt(DoubtCode, "parallel gives a shell arguments that are not known")
	}
}

var sedSyntax = syntaxOf{flags: "nErsuzbd", values: "efl", glued: "iI", long: []string{"quiet", "silent", "debug", "expression=", "file=", "in-place=?", "line-length=", "posix", "regexp-extended", "separate", "sandbox", "unbuffered", "null-data", "zero-terminated", "follow-symlinks", "help", "version"}}

// sed doubts a script that is more than a few commands which neither run nor write.
func (r *reader) sed(c *Command, _ input) {
	options, _, _ := sedArguments(c.Words[1:])
	for _, o := range options {
		switch o.name {
		case "e", "expression":
			r.sedScript(o.value)
		case "f", "file":
			if !o.value.Known || o.value.Text == "-" || strings.HasPrefix(o.value.Text, "/dev/") {
				r.line.doubt(DoubtForeign, "code for sed that is computed or read")
			}
		case "":
			r.line.doubt(DoubtOption, "an option of sed is not known")
		}
	}
}

// sedArguments are the options of sed and the files behind its script, which is an option
// "e" if it was an operand. An option without a name is one not known.
func sedArguments(words []Word) (options []option, files []Word, inPlace bool) {
	for len(words) > 0 {
		more, rest, sure := sedSyntax.scan(words)
		if !sure {
			options = append(options, option{})
		}
		options = append(options, more...)
		if words = rest; len(rest) > 0 {
			files = append(files, rest[0])
			words = rest[1:]
		}
	}
	_, script := find(options, "e", "expression", "f", "file")
	if _, inPlace = find(options, "i", "I", "in-place"); !script && len(files) > 0 {
		options, files = append(options, option{name: "e", value: files[0]}), files[1:]
	}
	return options, files, inPlace
}

func (r *reader) sedScript(code Word) {
	if !code.Known {
		r.line.doubt(DoubtForeign, "code for sed that is computed")
	} else if !sedPlain(code.Text) {
		r.line.doubt(DoubtForeign, "code for sed that may run a command or write a file")
	}
}

// sedPlain reports whether a script has only addresses, s and y without the flags e
// and w, and commands of one letter that neither run nor write.
func sedPlain(t string) bool {
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case strings.IndexByte(" \t\n;{}!,0123456789$~+pPdDqQ=nNhHgGxlzF", c) >= 0:
			i++
		case c == '/':
			i = sedFlags(t, sedPart(t, i+1, c), "IM")
		case c == '\\' && i+1 < len(t):
			i = sedFlags(t, sedPart(t, i+2, t[i+1]), "IM")
		case (c == 's' || c == 'y') && i+1 < len(t):
			if i = sedPart(t, i+2, t[i+1]); i >= 0 {
				i = sedPart(t, i, t[i-1])
			}
			if i = sedFlags(t, i, "gpiImM0123456789"); i >= 0 && i < len(t) && strings.IndexByte(" \t\n;}", t[i]) < 0 {
				return false
			}
		default:
			return false
		}
		if i < 0 {
			return false
		}
	}
	return true
}

// sedFlags is the place behind the flags; -1 stays.
func sedFlags(t string, i int, flags string) int {
	for i >= 0 && i < len(t) && strings.IndexByte(flags, t[i]) >= 0 {
		i++
	}
	return i
}

// sedPart is the place behind the next delimiter; -1 if there is none, or if it is in
// brackets, where programs read it in different ways.
func sedPart(t string, i int, delim byte) int {
	for ; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case delim:
			return i + 1
		case '[':
			from := i + 1
			if from < len(t) && t[from] == '^' {
				from++
			}
			if end := strings.IndexByte(t[min(from+1, len(t)):], ']'); end >= 0 {
				if strings.IndexByte(t[i:from+1+end], delim) >= 0 {
					return -1
				}
				i = from + 1 + end
			}
		}
	}
	return -1
}

// mk doubts what make is told besides targets.
func (r *reader) mk(c *Command, _ input) {
	for i, w := range c.Words[1:] {
		t := w.Text
		switch {
		case w.loose:
			r.line.doubt(DoubtOption, "an argument of make that is computed")
		case !strings.HasPrefix(t, "-") && strings.Contains(t, "="):
			name, value, _ := strings.Cut(t, "=")
			if name = strings.TrimRight(name, ":+?!"); Dangerous(name) || strings.ContainsAny(value, "$`") || name == "SHELL" || name == ".SHELLFLAGS" {
				r.line.doubt(DoubtVariable, "a variable of make that may change what runs")
			}
		case strings.HasPrefix(t, "--ev") || t == "-f-" || t == "-E" || strings.HasPrefix(t, "-E") && !strings.HasPrefix(t, "--"):
			r.line.doubt(DoubtForeign, "code for make")
		case t == "-f" && i+2 < len(c.Words) && (c.Words[i+2].Text == "-" || !c.Words[i+2].Known || strings.HasPrefix(c.Words[i+2].Text, "/dev/")):
			r.line.doubt(DoubtForeign, "code for make")
		}
	}
}

// entr starts a command when a file changes.
func (r *reader) entr(c *Command, in input) {
	s := syntaxOf{flags: "acdnprsxz"}
	options, rest, sure := s.scan(c.Words[1:])
	if !sure {
		r.line.doubt(DoubtOption, "an option of entr is not known")
	}
	if _, ok := find(options, "s"); ok {
		r.shell(c, joined(rest), in)
		return
	}
	r.nested(c, rest, nil, in)
}

// daemon is start-stop-daemon.
func (r *reader) daemon(c *Command, in input) {
	for i, w := range c.Words {
		if name, _, _ := strings.Cut(w.Text, "="); name == "-x" || name == "-a" || len(name) > 2 && (strings.HasPrefix("--exec", name) || strings.HasPrefix("--startas", name)) {
			r.line.doubt(DoubtOption, "an option of "+c.Name+" that starts a program")
			if i+1 < len(c.Words) {
				r.nested(c, c.Words[i+1:i+2], nil, in)
			}
		}
	}
}
