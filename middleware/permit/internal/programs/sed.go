// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/script"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

var sedSyntax = shell.Syntax{
	Flags: "nErsuzbd", Values: "efl", Glued: "iI",
	Long: []string{"quiet", "silent", "debug", "expression=", "file=", "in-place=?", "line-length=", "posix",
		"regexp-extended", "separate", "sandbox", "unbuffered", "null-data", "zero-terminated", "follow-symlinks", "help", "version"},
}

// sed doubts a script that is more than a few commands which neither run nor write.
func (r inspector) sed(c *shell.Command, _ shell.Input) {
	options, _, _ := SedArguments(c.Words[1:])
	for _, o := range options {
		switch o.Name {
		case "e", "expression":
			r.sedScript(o.Value)
		case "f", "file":
			if !o.Value.Known || o.Value.Text == "-" || strings.HasPrefix(o.Value.Text, "/dev/") {
				r.Doubt(shell.DoubtForeign, "code for sed that is computed or read")
			}
		case "":
			r.Doubt(shell.DoubtOption, "an option of sed is not known")
		}
	}
}

// SedArguments are the options of sed and the files behind its script, which is an option
// "e" if it was an operand. An option without a name is one not known.
func SedArguments(words []shell.Word) (options []shell.Option, files []shell.Word, inPlace bool) {
	for len(words) > 0 {
		more, rest, sure := sedSyntax.Scan(words)
		if !sure {
			options = append(options, shell.Option{})
		}
		options = append(options, more...)
		if words = rest; len(rest) > 0 {
			files = append(files, rest[0])
			words = rest[1:]
		}
	}
	_, script := shell.Find(options, "e", "expression", "f", "file")
	if _, inPlace = shell.Find(options, "i", "I", "in-place"); !script && len(files) > 0 {
		options, files = append(options, shell.Option{Name: "e", Value: files[0]}), files[1:]
	}
	return options, files, inPlace
}

func (r inspector) sedScript(code shell.Word) {
	if !code.Known {
		r.Doubt(shell.DoubtForeign, "code for sed that is computed")
	} else if !script.SedPlain(code.Text) {
		r.Doubt(shell.DoubtForeign, "code for sed that may run a command or write a file")
	}
}
