// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package operands

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// maxAfar is how far from its name a value is looked for that is not directly beside it, in
// bytes.
const maxAfar = 300

// mayStandAfar reports whether afar may find something for a name that ends at stop.
func mayStandAfar(s string, start, stop int) bool {
	if _, to := ProseValue(s, start, stop, false); to > 0 {
		return true
	}
	if _, to := EnteredValue(s, start); to > 0 {
		return true
	}
	if _, to := ValueBelow(s, start, stop); to > 0 {
		return true
	}
	if _, to, _ := (Near{Password: true}).Value(s, start, stop); to > 0 {
		return true
	}
	if stop+2 < len(s) && s[stop] == ' ' && chars.IsLetter(s[stop+1]) && shortWord(s, stop+1) && !chars.HasFold(s,
		stop, " for ") && !chars.HasFold(s, stop, " of ") {
		return false // running text
	}
	if _, to := FilledValue(s, start, stop); to > 0 || stop+1 < len(s) && s[stop] == '<' && s[stop+1] == '/' {
		return true
	}
	if stop < len(s) && strings.IndexByte(",)\"'` \\", s[stop]) >= 0 && chars.ContainsFold(s[stop:min(len(s),
		stop+maxAfar)], "values") {
		return true
	}
	_, to := BlockDefault(s, stop)
	return to > 0
}

// shortWord reports whether the word at p is too short to be drawn by chance.
func shortWord(s string, p int) bool {
	n := 0
	for p+n < len(s) && n < longWord && s[p+n] != ' ' {
		n++
	}
	return n < longWord
}

// FilledValue is the literal that is typed into the field of the name that ends at stop:
// getByLabel('Password').fill('x'), find_element(By.ID, "password").send_keys("x"),
// I fill in "Password" with "x".
func FilledValue(s string, start, stop int) (from, to int) {
	if from, to = typedInto(s, start, stop); to > from {
		return from, to
	}
	p := chars.SkipAny(s[:min(len(s), stop+12)], stop, "\"'`])\\")
	if p == stop {
		return 0, 0
	}
	if from, to, called := calledWith(s, p); called {
		return from, to
	}
	if strings.HasPrefix(s[p:], " [") {
		return snapshotValue(s, p)
	}
	if from, to = formPart(s, p); to > from {
		return from, to
	}
	for _, with := range [...]string{" with ", ", with: ", " → "} {
		if chars.HasFold(s, p, with) {
			return literalAt(s, p+len(with))
		}
	}
	return 0, 0
}

// fillMethods type their argument into the field that they are called on.
const fillMethods = "fill type send_keys sendKeys pressSequentially press_sequentially setValue set_value set " +
	"input enter_text typeText type_text val value fillField setText addValue replaceText enterText performTextInput " +
	"performTextReplacement toHaveValue to_have_value"

// calledWith is the literal in the chain of calls at p, behind the closed name of a field: ).fill('x'),
// ).first().type('x'), ).value = 'x', { name: 'Password' }).fill('x'). called tells that there is such a chain.
func calledWith(s string, p int) (from, to int, called bool) {
	p = skipOptions(s, p)
	for range 4 {
		if p+2 < len(s) && s[p] == '[' && chars.IsDigit(s[p+1]) && s[p+2] == ']' {
			p += len("[0]")
		}
		if p >= len(s) || s[p] != '.' {
			return 0, 0, false
		}
		end := chars.Skip(s[:min(len(s), p+40)], p+1, chars.URL)
		if argument := writtenBy(s, p, end); argument > 0 {
			from, to = literalAt(s, argument)
			return from, to, true
		}
		if word := s[p+1 : end]; word == "first" || word == "last" {
			p = end
			continue
		}
		if end >= len(s) || s[end] != '(' {
			return 0, 0, true
		}
		if p = end + 1; p < len(s) && s[p] == ')' { // first(), clear()
			p++
		}
	}
	return 0, 0, false
}

// skipOptions passes over the options of a call behind the name of a field at p, and the bracket that ends
// it: { exact: true }).
func skipOptions(s string, p int) int {
	options := s[p:min(len(s), p+24)]
	if !strings.HasPrefix(options, " })") && !strings.HasPrefix(options, ", {") {
		return p
	}
	if end := strings.Index(options, "})"); end > 0 {
		return p + end + len("})")
	}
	return p
}

// writtenBy is where the value begins that the member [p,end) of a chain of calls writes into a field:
// .value = x, .fill(x), .setAttribute('value', x), .perform(typeText(x)). It is 0 if the member writes none.
func writtenBy(s string, p, end int) int {
	word, rest := s[p+1:end], s[end:]
	switch {
	case word == "value" && strings.HasPrefix(rest, " = "):
		return end + len(" = ")
	case !strings.HasPrefix(rest, "("):
		return 0
	case chars.OneOf(fillMethods, word):
		return end + 1
	case word == "setAttribute" && (strings.HasPrefix(rest, "('value', ") || strings.HasPrefix(rest, `("value", `)):
		return end + len("('value', ")
	case strings.HasSuffix(word, "perform"):
		call := chars.Skip(s, end+1, chars.URL)
		if call < len(s) && s[call] == '(' && chars.OneOf(fillMethods, s[end+1:call]) {
			return call + 1
		}
	}
	return 0
}

// snapshotValue is the value in a page's snapshot, where the references of a field begin at p: textbox "Password"
// [ref=e5] [active]: x.
func snapshotValue(s string, p int) (from, to int) {
	for range 4 {
		end := strings.IndexByte(s[p:min(len(s), p+60)], ']')
		if end < 0 {
			return 0, 0
		}
		if p += end + 1; !strings.HasPrefix(s[p:], " [") {
			break
		}
	}
	if !strings.HasPrefix(s[p:], ": ") {
		return 0, 0
	}
	if p += len(": "); p < len(s) && s[p] == '"' {
		return literalAt(s, p)
	}
	if end := strings.IndexByte(s[p:], '\n'); end >= 0 {
		return p, p + end
	}
	return p, len(s)
}

// typedInto is the literal in the call in which the name that ends at stop describes a field: type(element="Password
// field", text="x"), type(getByLabelText(/password/i), 'x').
func typedInto(s string, start, stop int) (from, to int) {
	if strings.HasPrefix(s[stop:], "\" \"") { // fill "Password" "x"
		low := max(0, start-maxProse)
		open := strings.LastIndexByte(s[low:start], '"')
		if verb := strings.TrimRight(s[low:low+max(0, open)], " "); enterVerbs[strings.ToLower(verb[chars.SkipBack(verb, 0,
			len(verb), chars.Lower|chars.Upper):])] {
			return literalAt(s, stop+2)
		}
	}
	rest := s[stop:min(len(s), stop+maxAfar)]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	n := chars.SkipAny(rest, 0, "\"'`])/i\\")
	if n > 0 && n+2 < len(rest) && rest[n:n+2] == ", " &&
		(rest[n+2] == '"' || rest[n+2] == '\'') && fillsBefore(s, start) {
		return literalAt(s, stop+n+2) // fill('#password', 'x'), fill('[name="password"]', 'x')
	}
	if strings.HasPrefix(rest[n:], ", { target: { value: ") {
		return literalAt(s, stop+n+len(", { target: { value: "))
	}
	if !strings.HasPrefix(rest, "\", ") && !strings.HasPrefix(rest, " field\"") && !strings.HasPrefix(rest, " input\"") &&
		!strings.HasPrefix(rest, " box\"") {
		return 0, 0
	}
	for _, name := range [...]string{" text=", " value="} {
		if i := strings.Index(rest, name); i >= 0 {
			return literalAt(s, stop+i+len(name))
		}
	}
	return 0, 0
}

// fillsBefore reports whether a call that types something in begins on the line before start: setText(find('…
func fillsBefore(s string, start int) bool {
	line := s[max(0, start-maxAfar/2):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for range 4 {
		open := strings.LastIndexByte(line, '(')
		if open < 0 {
			return false
		}
		line = line[:open]
		call := line[chars.SkipBack(line, 0, open, chars.Name):]
		if chars.OneOf(fillMethods, call[strings.LastIndexByte(call, '.')+1:]) {
			return true
		}
	}
	return false
}

// formPart is the body of the part of a form whose header ends at p with its name (RFC 7578).
func formPart(s string, p int) (from, to int) {
	if !chars.ContainsFold(s[max(0, p-maxAfar/2):p], "form-data") {
		return 0, 0
	}
	for range 3 { // other headers
		switch {
		case strings.HasPrefix(s[p:], "\n\n"):
			from = p + 2
		case strings.HasPrefix(s[p:], "\r\n\r\n"):
			from = p + 4
		}
		if from > 0 {
			n := strings.IndexByte(s[from:min(len(s), from+maxAfar)], '\n')
			if n < 0 && len(s)-from < maxAfar { // the last one
				n = len(s) - from
			}
			if n <= 0 || from+n+1 < len(s) && !strings.HasPrefix(s[from+n+1:], "--") {
				return 0, 0
			}
			return from, chars.SkipBackAny(s, from, from+n, "\r")
		}
		n := strings.IndexByte(s[min(len(s), p+1):min(len(s), p+maxAfar)], '\n')
		if p >= len(s) || s[p] != '\n' && s[p] != '\r' || n < 0 {
			return 0, 0
		}
		p = chars.SkipBackAny(s, p, p+1+n, "\r")
	}
	return 0, 0
}

// literalAt is the inside of the literal at p.
func literalAt(s string, p int) (from, to int) {
	if p >= len(s) {
		return 0, 0
	}
	if n := escapedQuote(s, p); n > 0 {
		return p + n, escapedQuoteEnd(s, p+n, s[p:p+n])
	}
	if c := s[p]; c == '"' || c == '\'' || c == '`' {
		return p + 1, QuoteEnd(s, p+1, c)
	}
	return 0, 0
}

// valueOptions are given the value of the name that an option before has: put-parameter --name password --value x.
var valueOptions = [...]string{" --value ", " --body ", " --secret-string ", " -string ", " /d "}

// BlockDefault is the literal that a Terraform variable of a name has by default, or the argument that an option
// behind it gives the name.
func BlockDefault(s string, stop int) (from, to int) {
	line := s[stop:min(len(s), stop+maxProse)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	for _, option := range valueOptions {
		if strings.IndexByte(line, '-') < 0 && strings.IndexByte(line, '/') < 0 {
			break
		}
		if i := strings.Index(line, option); i >= 0 {
			from, to, _ = Argument(s, stop+i+len(option), min(len(s), stop+maxAfar))
			return from, to
		}
	}
	for _, member := range [...]string{",ParameterValue=", ",Value=", ",value="} {
		if strings.HasPrefix(line, member) {
			from = stop + len(member)
			return from, from + max(0, strings.IndexAny(s[from:]+"\n", " ,}]\n\"'"))
		}
	}
	p := stop
	p = chars.SkipAny(s[:min(len(s), stop+4)], p, "\"' ")
	if p >= len(s) || s[p] != '{' || p == stop {
		return 0, 0
	}
	block := s[p+1 : min(len(s), p+maxAfar)]
	if end := strings.IndexByte(block, '}'); end >= 0 {
		block = block[:end]
	}
	offset := p + 1
	for line := range strings.Lines(block) {
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimRight(name, " "); ok && (strings.HasSuffix(name, " default") || strings.HasSuffix(name, " value")) {
			name = line[:strings.IndexByte(line, '=')]
			open := offset + len(name) + 1
			open = chars.Skip(s, open, chars.Blank)
			if strings.HasPrefix(strings.TrimLeft(value, " "), `"`) {
				return open + 1, QuoteEnd(s, open+1, '"')
			}
		}
		offset += len(line)
	}
	return 0, 0
}

// PairLiteral is the second literal of a call, or of a pair, whose first one is [o.start,
// o.end): BasicAuth("ann", "x"), auth=("ann", "x").
func PairLiteral(s string, start, stop int, o values.Operand) (from, to int) {
	if !o.Quoted || o.Op != '(' && (o.Op != '=' || o.Start < 2 || s[o.Start-2] != '(') || o.End+1 >= len(s) {
		return 0, 0
	}
	switch name := s[start:stop]; {
	case chars.EndsFold(name, ".login"), chars.EndsFold(name, "auth"), chars.EndsFold(name, "credential"),
		chars.EndsFold(name, "credentials"),
		chars.EndsFold(name, "userpassword"), chars.EndsFold(name, "authentication"),
		chars.EndsFold(name, "passwordtoken"), chars.EndsFold(name, "passwordcredentials"),
		chars.EndsFold(name, "authenticationtoken"):
	default:
		return 0, 0
	}
	p := o.End + 1
	for p < len(s) && (s[p] == ',' || chars.IsSpace(s[p])) && p-o.End < 40 {
		p++
	}
	if p > o.End+1 && strings.HasPrefix(s[p:], "Some(") { // of Rust
		p += len("Some(")
	}
	if p == o.End+1 || p >= len(s) || s[p] != '"' && s[p] != '\'' {
		return 0, 0
	}
	return p + 1, QuoteEnd(s, p+1, s[p])
}

// SignKey is the literal that is the second argument of a call that signs or verifies a token, whose name ends at
// stop: jwt.sign({…}, "x").
func SignKey(s string, stop int) (from, to int) {
	if stop >= len(s) || s[stop] != '(' {
		return 0, 0
	}
	depth := 0
	for p := stop; p < len(s) && p-stop < maxAfar; p++ {
		switch s[p] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',':
			if q := chars.SkipAny(s, p+1, " \n"); depth == 1 && q < len(s) && (s[q] == '"' || s[q] == '\'') {
				return q + 1, QuoteEnd(s, q+1, s[q])
			}
		}
		if depth == 0 {
			break
		}
	}
	return 0, 0
}
