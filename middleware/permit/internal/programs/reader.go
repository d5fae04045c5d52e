// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import "github.com/toolscope/toolscope/middleware/permit/internal/shell"

// A Reader reads a command line. It is given what programs start.
type Reader interface {
	// Doubt notes what cannot be understood.
	Doubt(kind shell.DoubtKind, text string)
	// StartCommand lists a command that c starts with these words.
	StartCommand(c *shell.Command, words []shell.Word, assigns []shell.Assign, in shell.Input)
	// ReadCode reads text as shell code that c runs.
	ReadCode(c *shell.Command, code shell.Word, in shell.Input)
	// SetVariable notes that a variable gets a value.
	SetVariable(a shell.Assign)
	// AddRedirect lists a file that is read or written.
	AddRedirect(d shell.Redirect)
}

// An inspector knows what programs start.
type inspector struct{ Reader }
