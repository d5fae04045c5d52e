// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
)

// isName reports whether the bare operand is another name, by what stands around it in source code.
func (b *assignment) isName() bool {
	s, o, value := b.s, b.operand, b.value()
	bare := strings.TrimRight(value, "?")
	if o.Quoted || o.Op != ':' && o.Op != '=' && o.Op != ' ' || !chars.IsDotted(bare) || chars.IsDigit(bare[0]) ||
		chance.Random(bare) {
		return false
	}
	rest := s[o.End:min(len(s), o.End+nearCode)]
	if chain := strings.TrimLeft(rest, " \t\r\n"); len(chain) > 1 && len(chain) < len(rest) && chain[0] == '.' &&
		chars.IsLetter(chain[1]) && strings.IndexByte(rest[:len(rest)-len(chain)], '\n') >= 0 {
		return true // its methods are called on the next lines
	}
	if o.Op == ' ' {
		line := s[max(0, b.start-nearCode):b.start]
		return strings.HasPrefix(strings.TrimLeft(line[strings.LastIndexByte(line, '\n')+1:], "# \t"), "define ")
	}
	if chars.HasDigit(strings.TrimRight(bare, "0123456789")) {
		return false
	}
	quoted := b.start > 0 && (s[b.start-1] == '"' || s[b.start-1] == '\'')
	item := strings.HasPrefix(rest, ",\n") || strings.HasPrefix(rest, ",\r")
	switch {
	case o.Op == '=':
		return !o.Spaced && strings.IndexByte(bare, '_') > 0 && (item || strings.HasPrefix(rest, ")") ||
			strings.HasPrefix(rest, ", ")) && names.Classify(bare).Level == names.Secret
	case s[b.stop] == ')', strings.HasPrefix(rest, " = "):
		return true // what a function returns, or the type of a variable
	case chars.HasDigit(bare) && strings.IndexByte(bare, '_') < 0:
		return false
	}
	return quoted && (item || strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, ",")) ||
		item && operands.LineStart(s, b.start) ||
		strings.HasPrefix(rest, "):") || strings.HasPrefix(rest, ") {") || strings.HasPrefix(rest, ") ->")
}

// nearCode is how far around an operand its line is read, in bytes.
const nearCode = 48
