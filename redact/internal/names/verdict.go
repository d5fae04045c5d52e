// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import "github.com/toolscope/toolscope/redact/internal/kinds"

// A Verdict is what a name says.
type Verdict struct {
	Level level
	Kind  kinds.ID
}

// A level says how much a name tells of its value.
type level uint8

// The levels, in their order.
const (
	Harmless level = iota // it says nothing
	Weak                  // a word alone (key, token, session): a random-looking value that is no id is a secret
	Telling               // a random-looking value is a secret
	Secret                // any value that is not a reference or a placeholder is a secret
)

// Inherits reports whether the name also tells of what is below its value. Weak names do not.
func (v Verdict) Inherits() bool { return v.Level == Secret || v.Kind == kinds.Credential }
