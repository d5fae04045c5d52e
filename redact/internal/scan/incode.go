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
	if o.Quoted || value == "" {
		return false
	}
	if (strings.HasPrefix(s[b.stop:], "->") || o.Op == ':' && !o.Spaced && s[o.Start-2] == ' ') &&
		!chars.HasDigit(value) { // a member, a parameter
		return true
	}
	if o.Op == ' ' && (chars.IsLetter(value[0]) && isDefinition(s[max(0, b.start-nearCode):b.start]) ||
		!o.Flag && o.End+1 < len(s) && s[o.End] == ' ' && chars.IsLetter(s[o.End+1]) && isCompound(value)) {
		return true
	}
	bare := strings.TrimRight(value, "?")
	if o.Op != ':' && o.Op != '=' && o.Op != ' ' || !chars.IsDotted(bare) || chars.IsDigit(bare[0]) ||
		chance.Random(bare) {
		return false
	}
	rest := s[o.End:min(len(s), o.End+nearCode)]
	if len(rest) > 1 && rest[0] == '<' && chars.IsUpper(rest[1]) && chars.IsUpper(bare[0]) {
		return true // a type with a parameter
	}
	if isChained(rest) {
		return true
	}
	if o.Op == ' ' || chars.HasDigit(strings.TrimRight(bare, "0123456789")) {
		return o.Op == ':' && endsParameters(rest) && chars.IsUpper(bare[0])
	}
	return b.isNameBefore(bare, rest)
}

// isNameBefore reports whether the operand, without its question mark, is another name by its operator, by
// what encloses it, and by rest, the text behind it.
func (b *assignment) isNameBefore(bare, rest string) bool {
	s, o := b.s, b.operand
	quoted := b.start > 0 && (s[b.start-1] == '"' || s[b.start-1] == '\'')
	item := len(rest) > 1 && rest[0] == ',' && (rest[1] == '\n' || rest[1] == '\r')
	switch {
	case o.Op == '=':
		return !o.Spaced && strings.IndexByte(bare, '_') > 0 && rest != "" && strings.IndexByte("),", rest[0]) >= 0 &&
			(item && operands.LineStart(s, b.start) || names.Classify(bare).Level == names.Secret)
	case s[b.stop] == ')', strings.HasPrefix(rest, " = "):
		return true // what a function returns, or the type of a variable
	case chars.HasDigit(bare) && strings.IndexByte(bare, '_') < 0:
		return false
	}
	return quoted && rest != "" && strings.IndexByte("},", rest[0]) >= 0 ||
		item && operands.LineStart(s, b.start) ||
		endsParameters(rest)
}

// isChained reports whether rest, the text behind a name, calls a method of it on one of the next lines.
func isChained(rest string) bool {
	chain := strings.TrimLeft(rest, " \t\r\n")
	return len(chain) > 1 && len(chain) < len(rest) && chain[0] == '.' && chars.IsLetter(chain[1]) &&
		strings.IndexByte(rest[:len(rest)-len(chain)], '\n') >= 0
}

// endsParameters reports whether rest begins with the end of a function's parameters and the start of its
// result or body.
func endsParameters(rest string) bool {
	return len(rest) > 2 && rest[0] == ')' && (rest[1] == ':' || rest[1] == ' ' &&
		strings.IndexByte("{-=", rest[2]) >= 0)
}

// isDefinition reports whether the line that before ends with begins as that of a macro.
func isDefinition(before string) bool {
	return strings.HasPrefix(strings.TrimLeft(before[chars.LastByte(before, '\n')+1:], "# \t"), "define ")
}

// isCompound reports whether v is an adjective of two words: web-standard, 32-byte.
func isCompound(v string) bool {
	head, tail, ok := strings.Cut(v, "-")
	return ok && len(tail) > 2 && chars.Skip(tail, 0, chars.Lower) == len(tail) && (chars.IsDigits(head) ||
		chars.Skip(head, 0, chars.Lower|chars.Upper) == len(head))
}

// nearCode is how far around an operand its line is read, in bytes.
const nearCode = 48
