// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/script"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// awk doubts a program that may run a command, or write a file.
func (r inspector) awk(c *shell.Command, _ shell.Input) {
	s := shell.Syntax{
		Flags: "bcCghIMnNOPrsStV", Values: "Fvf", Glued: "dDLpo",
		Long: []string{"field-separator=", "assign=", "file=", "posix", "traditional", "re-interval", "csv", "version",
			"help", "sandbox", "characters-as-bytes", "non-decimal-data", "use-lc-numeric", "bignum"},
	}
	options, rest, sure := s.Scan(c.Words[1:])
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of "+c.Name+" is not known")
	}
	if file, ok := shell.Find(options, "f", "file"); ok {
		if !file.Known || file.Text == "-" || strings.HasPrefix(file.Text, "/dev/") {
			r.Doubt(shell.DoubtForeign, "code for "+c.Name+" that is computed or read")
		}
		return
	}
	if len(rest) == 0 {
		return
	}
	if !rest[0].Known {
		r.Doubt(shell.DoubtForeign, "code for "+c.Name+" that is computed")
	} else if !script.AwkPlain(rest[0].Text) {
		r.Doubt(shell.DoubtForeign, "code for "+c.Name+" that may run a command or write a file")
	}
}
