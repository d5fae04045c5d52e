// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// ValueAt reads the value that begins at p, behind the operator in o.
func ValueAt(s string, p int, o values.Operand) values.Operand {
	from := p
	p = chars.Skip(s, p, chars.Blank|chars.Tab)
	o.Spaced = p > from
	if o.Op == ' ' {
		p += linkVerb(s, p)
	}
	if strings.HasPrefix(s[p:], "\\\n") && o.Op != ':' { // the line goes on
		p = chars.Skip(s, p+2, chars.Blank|chars.Tab)
	}
	if o.Op == ':' && (strings.HasPrefix(s[p:], "** ") || strings.HasPrefix(s[p:], "* ")) { // **Password:** x
		p = chars.SkipAny(s, p, "* ")
	}
	if p < len(s) && (s[p] == '\n' || s[p] == '\r' || s[p] == '|' || s[p] == '>' && o.Op == ':') {
		q, ok := nextLine(s, p, o)
		if !ok || o.Op == ':' && opensBlock(s, from, q) {
			return o
		}
		p = q
	}
	p = literalHead(s, skipTag(s, skipType(s, p, o.Op), o.Op))
	if p >= len(s) {
		return o
	}
	if start, end := quotedAt(s, p, o.Doubled); start > 0 {
		o.Start, o.End, o.Quoted = start, end, true
		return o
	}
	if o.Op == ',' || o.Op == '(' {
		return o // only literals
	}
	o.Start = p
	if s[p] == '<' && o.Op != '>' { // <your password>
		if n := strings.IndexAny(s[p:min(len(s), p+80)], ">\n"); n > 0 && s[p+n] == '>' {
			o.End = p + n + 1
			return o
		}
	}
	if o.Op == '>' {
		o.End = elementEnd(s, p)
		return o
	}
	o.End = bareEnd(s, p)
	return o
}

// skipType passes over what says that the literal at p is a string: in a dump of PHP, string(9) "x", or
// behind the label of an assembler, .asciz "x".
func skipType(s string, p int, op byte) int {
	if chars.HasFold(s, p, "string(") {
		if q := chars.Skip(s, p+len("string("), chars.Digit); q > p+len("string(") && strings.HasPrefix(s[q:], ") ") {
			p = q + 2
		}
	}
	for _, directive := range [...]string{".asciz ", ".ascii ", ".string ", "db ", "dc.b "} {
		if op == ':' && strings.HasPrefix(s[p:], directive) && p+len(directive) < len(s) && s[p+len(directive)] == '"' {
			p += len(directive)
		}
	}
	return p
}

// quotedAt is the value in the quotes at p: plain, tripled, escaped, or entities of HTML; or in doubled ones,
// as in a cell of CSV. start is 0 if there is no quote.
func quotedAt(s string, p int, doubled bool) (start, end int) {
	if n := escapedQuote(s, p); n > 0 {
		return p + n, escapedQuoteEnd(s, p+n, s[p:p+n])
	}
	if entity := quoteEntity(s, p); entity != "" {
		return upTo(s, p+len(entity), entity)
	}
	switch c := s[p]; {
	case doubled && strings.HasPrefix(s[p:], `""`):
		return upTo(s, p+2, `"`)
	case strings.HasPrefix(s[p:], `"""`), strings.HasPrefix(s[p:], "'''"):
		return upTo(s, p+3, s[p:p+3])
	case c == '"' || c == '\'' || c == '`':
		return p + 1, QuoteEnd(s, p+1, c)
	}
	return 0, 0
}

// upTo is the value that begins at p and ends before the quote, or that is as long as a value may be if there
// is none.
func upTo(s string, p int, quote string) (start, end int) {
	return p, p + indexOr(s[p:min(len(s), p+chance.MaxValue)], quote)
}

// skipTag passes over what says how the value at p is written: a tag or an anchor of YAML, !!str x, &a x, and the head
// of a section of XML, <![CDATA[x]]>.
func skipTag(s string, p int, op byte) int {
	const section = "<![CDATA["
	switch {
	case op == ':' && strings.HasPrefix(s[p:], "!!"):
		return chars.Skip(s, chars.Skip(s, p+2, chars.Lower), chars.Blank)
	case op == ':' && p < len(s) && s[p] == '&':
		if end := chars.Skip(s, p+1, chars.Name); end < len(s) && s[end] == ' ' {
			return end + 1
		}
	case op == '>' && strings.HasPrefix(s[p:], section):
		return p + len(section)
	}
	return p
}

// opensBlock reports whether the colon before from, behind which the next line with text begins at q, opens a block of
// Python: a bracket stands before it, or a comment or the documentation of a function behind it.
func opensBlock(s string, from, q int) bool {
	return from > 1 && s[from-2] == ')' || strings.HasPrefix(s[q:], `"""`) || strings.HasPrefix(s[q:], "'''") ||
		strings.HasPrefix(s[q:], "#")
}

// indexOr is the index of sub in s, or the length of s if it is not there.
//
//go:noinline
func indexOr(s, sub string) int {
	if i := strings.Index(s, sub); i >= 0 {
		return i
	}
	return len(s)
}

// nextLine finds a value on the line after: a YAML block, the first item of a list, the
// text of an XML element.
func nextLine(s string, p int, o values.Operand) (int, bool) {
	block := s[p] == '|' || s[p] == '>'
	for q := 0; block && q < 4 && p < len(s) && s[p] != '\n'; q++ {
		p++
	}
	if p >= len(s) || s[p] != '\n' && s[p] != '\r' {
		return 0, false
	}
	p = chars.SkipAny(s, p, "\n\r")
	q := p
	q = chars.Skip(s, q, chars.Blank|chars.Tab)
	switch {
	case q >= len(s) || s[q] == '\n':
		return 0, false
	case block || o.Op == '>' || o.Op == '=' && (s[q] == '"' || s[q] == '\'' || strings.HasPrefix(s[q:], "string(")):
		return q, true
	case o.Op != ':' || q == p && s[q] != '-':
		return 0, false
	case s[q] == '-' && q+1 < len(s) && s[q+1] == ' ':
		q += 2
	}
	if q == len(s) { // an item with nothing in it
		return 0, false
	}
	line := s[q:min(len(s), q+200)]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	if at := propertyValue(s, q); at > 0 {
		return at, true
	}
	if strings.Contains(line, ": ") || strings.HasSuffix(strings.TrimRight(line, " \r"), ":") {
		return 0, false // a name of its own
	}
	if c := s[q]; c != '"' && c != '\'' && strings.IndexByte(strings.TrimRight(line, " \r"), ' ') > 0 {
		return 0, false // a statement
	}
	return q, true
}

// propertyValue is where the value begins that a YAML mapping at p holds in its property default or value, as
// a parameter of CloudFormation does behind its type, noecho and description. It is 0 if there is no such
// property.
func propertyValue(s string, p int) int {
	for {
		for _, name := range [...]string{"default: ", "value: "} {
			if chars.HasFold(s, p, name) {
				return p + len(name)
			}
		}
		if !chars.HasFold(s, p, "type: ") && !chars.HasFold(s, p, "noecho: ") && !chars.HasFold(s, p, "description: ") {
			return 0
		}
		n := strings.IndexByte(s[p:min(len(s), p+200)], '\n')
		if n < 0 {
			return 0
		}
		p = chars.Skip(s, p+n+1, chars.Blank)
	}
}

// literalHead passes over what may stand before a string literal: @"…", b"…", r"…",
// new String("…"), &"…", ("…"), String::from("…"). What stands before the key of a
// look-up is none.
func literalHead(s string, p int) int {
	for q := p; q < len(s) && q-p < 20; q++ {
		switch c := s[q]; {
		case c == '"' || c == '\'' || c == '`':
			switch {
			case q-p <= 2 && (q == p || s[q-1] != '='):
				return q
			case s[q-1] == '(' && isWrapper(s[p:q-1]):
				if end := QuoteEnd(s, q+1, c); end+1 < len(s) && s[end+1] == ',' {
					return p // the first of its arguments
				}
				return q
			}
			return p
		case chars.IsAlnum(c) || strings.IndexByte("@&$(: .", c) >= 0 || c == '[' && q == p &&
			strings.HasPrefix(s[q:], "[]") ||
			c == ']' && q == p+1:
		default:
			return p
		}
	}
	return p
}

// isWrapper reports whether a call of v makes a string of a literal.
func isWrapper(v string) bool {
	for _, end := range [...]string{"string", "str", "from", "some", "byte", "bytes", "text", "secret", "literal", "value",
		"md5", "sha1", "sha256",
		"password", "encode", "output"} {
		if len(v) >= len(end) && chars.HasFold(v, len(v)-len(end), end) {
			return true
		}
	}
	return false
}

// quoteEntity is the quote at p as HTML writes it, or nothing.
func quoteEntity(s string, p int) string {
	if s[p] == '&' {
		for _, entity := range [...]string{"&quot;", "&#34;", "&#39;", "&apos;"} {
			if strings.HasPrefix(s[p:], entity) {
				return entity
			}
		}
	}
	return ""
}

// escapedQuote is the length of a quote behind backslashes at p: \", \\".
func escapedQuote(s string, p int) int {
	q := p
	q = chars.SkipAny(s[:min(len(s), p+8)], q, "\\")
	if q > p && q < len(s) && (s[q] == '"' || s[q] == '\'') {
		return q - p + 1
	}
	return 0
}

// escapedQuoteEnd finds the quote with as many backslashes.
func escapedQuoteEnd(s string, p int, quote string) int {
	limit := min(len(s), p+chance.MaxValue)
	for q := p; q < limit; {
		i := strings.Index(s[q:limit], quote)
		if i < 0 {
			break
		}
		if q += i; q == p || s[q-1] != '\\' {
			return q
		}
		q += len(quote)
	}
	if i := strings.IndexAny(s[p:limit], "\"\n"); i >= 0 {
		return p + i
	}
	return limit
}

// QuoteEnd finds the closing quote that is not escaped, else the end of the line.
func QuoteEnd(s string, p int, quote byte) int {
	limit := min(len(s), p+chance.MaxValue)
	for q := p; q < limit; q++ {
		switch s[q] {
		case '\\':
			q++
		case quote:
			return q
		case '\n':
			if quote != '`' {
				return q
			}
		}
	}
	if i := strings.IndexByte(s[limit:], quote); i >= 0 && limit == p+chance.MaxValue {
		return limit + i
	}
	return len(s)
}

// elementEnd is the end of an XML element's text.
func elementEnd(s string, p int) int {
	limit := min(len(s), p+chance.MaxValue)
	if n := strings.Index(s[p:limit], "]]>"); n > 0 && strings.HasSuffix(s[:p], "[CDATA[") {
		return p + n
	}
	n := strings.IndexByte(s[p:limit], '<')
	if n < 0 || p+n+1 < len(s) && s[p+n+1] != '/' && s[p+n+1] != '!' {
		return p // another element, or no element at all
	}
	end := p + n
	end = chars.SkipBack(s, p, end, chars.Space)
	return end
}

// bareEnd is the end of a value without quotes. What separates members of a list, a
// query or a shell line ends it only where another member follows: passwords hold such
// characters.
func bareEnd(s string, p int) int {
	limit := min(len(s), p+chance.MaxValue)
	q := p
scan:
	for q < limit {
		c := s[q]
		if chars.Class[c]&(chars.Alnum) != 0 {
			q++
			continue
		}
		switch {
		case chars.IsSpace(c) || c == '"' || c == '<' && q > p:
			break scan
		case c == '\\' && q+1 < limit && strings.IndexByte("nrt\"'", s[q+1]) >= 0:
			break scan
		case c == '&' || c == ';' || c == ',' || c == '|' || c == '\'' || c == '`':
			if q+1 == limit || chars.IsSpace(s[q+1]) || memberAt(s, q+1) || strings.IndexByte("\"'&|\\);]}",
				s[q+1]) >= 0 {
				break scan
			}
		case c == '%' && q+2 < limit && s[q+1] == '2' && (s[q+2] == '6' || s[q+2] == '2' || s[q+2] == '0'):
			break scan
		case c == 0x1b || c < 0x20:
			break scan
		case c == 0xe2 && q+2 < limit && s[q+1] == 0x80 && s[q+2] >= 0x8b && s[q+2] <= 0x8f: // zero width
			break scan
		}
		q++
	}
	return trimBare(s, p, q)
}

// trimBare is the end of the bare value [p,q) without what closes or separates what it stands in.
func trimBare(s string, p, q int) int {
	for q > p+1 && (strings.IndexByte(",;:'`", s[q-1]) >= 0 || closes(s[p:q])) {
		q--
	}
	return q
}

// memberAt reports whether another "name=" or "name:" begins at q.
func memberAt(s string, q int) bool {
	q = chars.Skip(s, q, chars.Blank)
	if q >= len(s) || !chars.IsLetter(s[q]) && s[q] != '_' {
		return false
	}
	n := q
	for n < len(s) && n-q < 40 && (chars.Class[s[n]]&chars.Name != 0 || s[n] == ' ' || s[n] == '[' || s[n] == ']') {
		n++
	}
	return n > q && n < len(s) && (s[n] == '=' || s[n] == ':' || chars.HasFold(s, n, "%3d"))
}

// closes reports whether v ends with a bracket that was not opened in it.
func closes(v string) bool {
	var open byte
	switch v[len(v)-1] {
	case ')':
		open = '('
	case ']':
		open = '['
	case '}':
		open = '{'
	default:
		return false
	}
	return strings.IndexByte(v, open) < 0
}

// linkVerb is the length of the verb at p that links a name and its value, with a blank behind it: password is x,
// password is: x; or of the word that says how the value is encrypted: secret 5 x.
func linkVerb(s string, p int) int {
	for _, verb := range [...]string{"is", "to", "ist", "lautet", "est", "es", "jest", "är", "er", "é",
		"è", "was", "on", "это", "0", "5", "7", "8", "9", "sha", "md5"} {
		if !chars.HasFold(s, p, verb) {
			continue
		}
		end := p + len(verb)
		if end < len(s) && s[end] == ':' {
			end++
		}
		if end < len(s) && s[end] == ' ' {
			return end + 1 - p
		}
	}
	return 0
}

// maxRemark is the longest remark, in bytes.
const maxRemark = 24

// skipRemark passes over words in brackets at p behind which a colon stands: password (temporary): x.
func skipRemark(s string, p int) int {
	if q := chars.Skip(s, chars.SkipAny(s, p, "#"), chars.Digit); q > p && q < p+4 && q < len(s) && s[q] == ':' {
		return q // password 2: x
	}
	if s[p] != '(' && s[p] != '[' {
		return p
	}
	end := p + 1
	for end < len(s) && end-p < maxRemark && (chars.IsLetter(s[end]) || s[end] == ' ' || s[end] == '-') {
		end++
	}
	if end+1 < len(s) && (s[end] == ')' || s[end] == ']') && s[end+1] == ':' {
		return end + 1
	}
	return p
}

// FindOperand finds the value after the name [start,stop): in the notations of shells,
// configuration files, source code, YAML, JSON, XML, headers and calls.
func FindOperand(s string, start, stop int) (o values.Operand, ok bool) {
	closed, wasQuoted := closeName(s, stop)
	p := chars.Skip(s[:min(len(s), closed+40)], closed, chars.Blank|chars.Tab)
	if p >= len(s) {
		return o, false
	}
	o.Flag = isFlag(s, start) || start > 0 && (s[start-1] == '?' || s[start-1] == '&')
	o.Doubled = strings.HasPrefix(s[stop:], `""`) && start > 1 && s[start-2:start] == `""`
	if p == closed && o.Flag && s[p] == '\n' { // - --password \n - x
		if q := chars.Skip(s, p+1, chars.Blank|chars.Tab); strings.HasPrefix(s[q:], "- ") {
			o.Op = ' '
			o = ValueAt(s, q+len("- "), o)
			return o, o.End > o.Start
		}
	}
	if p = skipBehindName(s, p, closed, wasQuoted); p == len(s) {
		return o, false
	}
	q, op := operatorAt(s, p, closed, wasQuoted)
	if (op == '=' || op == ':') && literalEnds(s, start, chars.Skip(s, q, chars.Blank), wasQuoted) {
		return o, false
	}
	q, op = operatorInCode(s, start, stop, p, q, op, wasQuoted)
	if op == 0 || op == ',' {
		if q := valueAttribute(s, p, wasQuoted); q > 0 {
			return ValueAt(s, q, values.Operand{Op: '=', Quoted: true}), true
		}
	}
	if op == 0 && p > closed {
		q, op = p, impliedOperator(s, start, stop, p, o.Flag)
	}
	if op == 0 || op == '>' && !closesTag(s, start, q) {
		return o, false
	}
	o.Op = op
	o = ValueAt(s, q, o)
	return o, o.End > o.Start
}

// skipBehindName passes over what may stand at p between a closed name and its operator: the dots of a
// leader, the accessors of a property in C#, a remark.
func skipBehindName(s string, p, closed int, wasQuoted bool) int {
	const accessors = "{ get; set; }"
	if strings.HasPrefix(s[p:], "...") {
		p = chars.SkipAny(s[:len(s)-1], p, ". ")
	}
	switch {
	case p > closed && strings.HasPrefix(s[p:], accessors):
		return chars.Skip(s, p+len(accessors), chars.Blank)
	case p > closed && !wasQuoted:
		return skipRemark(s, p)
	}
	return p
}

// operatorInCode returns where the operator of the name [start,stop) ends in source code, and the operator: that
// of a declaration with a type, behind a constant or a symbol as an argument, or of a look-up with a default.
// It returns q and op, the operator that operatorAt found at p, if there is no such code.
func operatorInCode(s string, start, stop, p, q int, op byte, wasQuoted bool) (int, byte) {
	switch {
	case op == ':' && q < len(s) && s[q] == ' ': // password: String = "x"
		if literal, assign := typedOperator(s, q+1, start, stop); assign == '=' && s[literal-2] == ' ' &&
			literal+1 < len(s) && strings.IndexByte("\"'`", s[literalHead(s, literal+1)]) >= 0 {
			return literal, assign
		}
	// setopt(h, OPT_PASSWORD, "x"), {:password, "x"}
	case op == 0 && s[p] == ',' && p == stop && (isConstant(s[start:stop]) || start > 0 && s[start-1] == ':'):
		return p + 1, ','
	// get("PASSWORD") or "x"
	case op == 0 && wasQuoted && chars.HasFold(s, p, "or ") && p+3 < len(s) && (s[p+3] == '"' || s[p+3] == '\''):
		return p + 3, '='
	case op == 0:
		return typedOperator(s, p, start, stop)
	}
	return q, op
}

// impliedOperator is the operator of the name [start,stop) that only blanks separate from its value at p, or
// 0 if there is no such value: of a variable of the environment, an option or a keyword.
func impliedOperator(s string, start, stop, p int, flag bool) byte {
	closed, wasQuoted := closeName(s, stop)
	switch {
	case !wasQuoted && environmentBefore(s, start):
		return '='
	case flag && s[closed-1] != '`', !wasQuoted && bareKeyword(s, start, stop, p):
		return ' '
	}
	return 0
}

// closesTag reports whether the '>' before q ends the tag of an element that is called by the name that
// begins at start, or has it as an attribute. `<SECRET>` in Markdown is none.
func closesTag(s string, start, q int) bool {
	if start == 0 || s[start-1] != '<' && !attributesBefore(s, start) {
		return false
	}
	if start > 1 && s[start-1] == '<' && s[start-2] == ':' { // <user>:<password>
		return false
	}
	return start == 1 || s[start-2] != '`' || q >= len(s) || s[q] != '`'
}
