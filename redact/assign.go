// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// maxLookBack is how far an assignment's name may begin before its operator, in
// bytes.
const maxLookBack = 96

// maxValue is the longest value an assignment is followed for; what is longer is
// removed to its end all the same, piece by piece.
const maxValue = 16 << 10

// assignmentAt looks at an operator that may stand between a name and its value:
// `name = value` in the notations of shells, configuration files, source code, YAML,
// JSON, XML, headers, and `f("name", "value")`.
func assignmentAt(s string, i, last int) (start, end int, kind string) {
	if i > 0 && i+1 < len(s) && isDigit(s[i-1]) && isDigit(s[i+1]) && s[i] != '=' {
		return 0, 0, "" // a time, a port, a list of numbers
	}
	nameStart, nameEnd, ok := nameBefore(s, i, last)
	if !ok {
		return 0, 0, ""
	}
	name := s[nameStart:nameEnd]
	if s[i] == '=' && name == "value" {
		name = attributeBefore(s, nameStart)
	}
	level, kind := classifyKey(name)
	if level == harmless && s[i] == '=' && nameStart > 0 && (s[nameStart-1] == '?' || s[nameStart-1] == '&') && querySecret(name) {
		level, kind = telling, "secret"
	}
	if level == harmless {
		if s[i] == '=' {
			return comparedAt(s, i, last)
		}
		return 0, 0, ""
	}
	start, end, kind = valueAfter(s, i, name, level, kind)
	if kind != "" && s[i] == ':' && level == secret && strings.IndexByte(name, '_') > 0 && (nameStart == 0 || s[nameStart-1] == '\n') {
		for end < len(s) && s[end] == ' ' && end+1 < len(s) && alphabets[s[end+1]]&alnum != 0 { // a value of several words
			end = bareEnd(s, end+1, secret)
		}
	}
	return start, end, kind
}

// querySecret names the parts of a signed URL.
func querySecret(name string) bool {
	return name == "sig" || strings.HasSuffix(name, "ignature") || name == "code" || name == "sv"
}

// attributeBefore is the value of the attribute that stands before the one at i:
// <add key="NAME" value="…"/>.
func attributeBefore(s string, i int) string {
	for i > 0 && isSpace(s[i-1]) {
		i--
	}
	if i < 6 || s[i-1] != '"' {
		return ""
	}
	b := strings.LastIndexByte(s[max(0, i-1-maxKey):i-1], '"')
	if b < 0 {
		return ""
	}
	return s[max(0, i-1-maxKey)+b+1 : i-1]
}

// comparedAt looks at `"value" == name`, where the value comes first.
func comparedAt(s string, i, last int) (start, end int, kind string) {
	p := i + 1
	if p >= len(s) || s[p] != '=' {
		return 0, 0, ""
	}
	for p < len(s) && (s[p] == '=' || s[p] == ' ') {
		p++
	}
	nameEnd := p
	for nameEnd < len(s) && nameByte(s[nameEnd]) && nameEnd-p < maxKey {
		nameEnd++
	}
	level, kind := classifyKey(s[p:nameEnd])
	if level != secret {
		return 0, 0, ""
	}
	end = i
	for end > last && strings.IndexByte(" !=", s[end-1]) >= 0 {
		end--
	}
	if end <= last || s[end-1] != '"' && s[end-1] != '\'' {
		return 0, 0, ""
	}
	end--
	open := strings.LastIndexByte(s[max(last, end-256):end], s[end])
	if open < 0 {
		return 0, 0, ""
	}
	start = max(last, end-256) + open + 1
	if start >= end || !judge(s[start:end], "", level, true, '=', true, false) {
		return 0, 0, ""
	}
	return start, end, kind
}

// kube reports whether the text is a Kubernetes Secret, whose values are in base64.
func (sc *scanner) kube(s string) bool {
	if sc.secretManifest == 0 {
		sc.secretManifest = 1
		for _, k := range []string{"kind: Secret", "kind: secret", `"kind": "Secret"`, `"kind":"Secret"`, `kind: "Secret"`, "kind: 'Secret'"} {
			if strings.Contains(s, k) {
				sc.secretManifest = 2
			}
		}
	}
	return sc.secretManifest == 2
}

// kubeAt finds a base64 value after the colon at i.
func kubeAt(s string, i int) (start, end int, kind string) {
	start = i + 1
	for start < len(s) && strings.IndexByte(" \t\"'", s[start]) >= 0 {
		start++
	}
	if start < len(s) && (s[start] == '|' || s[start] == '>') {
		for start < len(s) && (isSpace(s[start]) || strings.IndexByte("|>-", s[start]) >= 0) {
			start++
		}
	}
	end = start
	for end < len(s) && alphabets[s[end]]&base64 != 0 {
		end++
	}
	v := s[start:end]
	if len(v) < 8 || len(v)%4 != 0 && len(v) < 64 || !(hasDigit(v) || strings.HasSuffix(v, "=")) || !random(v) && len(v) < 12 {
		return 0, 0, ""
	}
	return start, end, "kubernetes-secret"
}

// nameBefore finds the name that ends before the operator at i, passing over
// blanks, quotes, brackets, and a type between name and operator.
func nameBefore(s string, i, last int) (start, end int, ok bool) {
	low := max(last, i-maxLookBack)
	end = i
	if s[i] == ',' && (i == low || s[i-1] != '"' && s[i-1] != '\'' && s[i-1] != '`') {
		return 0, 0, false // only ("name", "value")
	}
	for end > low && strings.IndexByte(" \t\"'`])\\:=|?!.+~", s[end-1]) >= 0 {
		end--
	}
	start = nameStart(s, low, end)
	if start == end {
		return 0, 0, false
	}
	if s[i] == '>' && (start == low || s[start-1] != '<') && !(i > 0 && (s[i-1] == '=' || s[i-1] == '-')) {
		return 0, 0, false // only <name>value and name => value
	}
	if end-start <= 8 && typeNames[s[start:end]] { // name string = value
		e := start
		for e > low && (s[e-1] == ' ' || s[e-1] == '*' || s[e-1] == ':') {
			e--
		}
		if b := nameStart(s, low, e); b < e && e < start {
			return b, e, true
		}
	}
	return start, end, true
}

func nameStart(s string, low, end int) int {
	start := end
	for start > low && nameByte(s[start-1]) {
		start--
	}
	return start
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '$'
}

var typeNames = words("string String str char const &str auto text varchar NSString bytes byte wstring")

// valueAfter finds the value after the operator at i and judges it.
func valueAfter(s string, i int, name string, level sensitivity, kind string) (start, end int, _ string) {
	op, p := s[i], i+1
	if op == '>' && s[i-1] != '=' && s[i-1] != '-' {
		return elementText(s, p, level, kind)
	}
	compared := op == '=' && i > 0 && strings.IndexByte("!<>=", s[i-1]) >= 0
	for p < len(s) && strings.IndexByte("=:>|?~", s[p]) >= 0 && p-i < 5 {
		compared = compared || s[p] == '=' && op == '='
		p++
	}
	spaced := p < len(s) && (s[p] == ' ' || s[p] == '\t')
	for p < len(s) && (s[p] == ' ' || s[p] == '\t') {
		p++
	}
	if p < len(s) && (s[p] == '|' || s[p] == '>') { // a YAML block
		if q := strings.IndexByte(s[p:min(len(s), p+4)], '\n'); q > 0 {
			p += q
		}
	}
	if strings.HasPrefix(s[p:], "{{") || strings.HasPrefix(s[p:], "${{") {
		return 0, 0, "" // a template's reference
	}
	if op == ':' {
		for q := p; q < len(s) && q-p < 24; q++ { // the value on the next line
			if s[q] == '\n' && q == p || q > p && (s[q] == ' ' || s[q] == '\t') {
				continue
			}
			if q > p && s[p] == '\n' {
				p = q
			}
			break
		}
	}
	p = skipScheme(s, skipLiteralHead(s, p))
	if p >= len(s) || s[p] == '\n' {
		return 0, 0, ""
	}
	quoted := false
	if q := s[p]; q == '"' || q == '\'' || q == '`' {
		start, end, quoted = p+1, quoteEnd(s, p+1, q), true
	} else if q == '\\' && p+1 < len(s) && (s[p+1] == '"' || s[p+1] == '\'') {
		start, end, quoted = p+2, quoteEnd(s, p+2, s[p+1]), true
		if end > start && s[end-1] == '\\' {
			end--
		}
	} else {
		start, end = p, bareEnd(s, p, level)
	}
	if (op == ',' || compared) && !quoted {
		return 0, 0, ""
	}
	if start >= end || !judge(s[start:end], name, level, quoted, op, spaced, end < len(s) && s[end] == '(') {
		return 0, 0, ""
	}
	return start, end, kind
}

// elementText is the text of an XML element.
func elementText(s string, p int, level sensitivity, kind string) (start, end int, _ string) {
	n := strings.IndexByte(s[p:min(len(s), p+maxValue)], '<')
	if n < 0 {
		return 0, 0, ""
	}
	start, end = p, p+n
	for start < end && isSpace(s[start]) {
		start++
	}
	for end > start && isSpace(s[end-1]) {
		end--
	}
	if start == end || !judge(s[start:end], "", level, true, ':', false, false) {
		return 0, 0, ""
	}
	return start, end, kind
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipLiteralHead passes over what may stand before a string literal: @"…", b"…",
// new String("…"), &"…".
func skipLiteralHead(s string, p int) int {
	for q := p; q < len(s) && q-p < 14; q++ {
		switch c := s[q]; {
		case c == '"' || c == '\'' || c == '`':
			if q == p || s[q-1] == '@' || s[q-1] == '(' || s[q-1] == '&' || q-p <= 2 {
				return q
			}
			return p
		case c == '@' || c == '&' || c == '(' || c == ' ' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		default:
			return p
		}
	}
	return p
}

// skipScheme passes over the scheme of an Authorization value, which may stay.
func skipScheme(s string, p int) int {
	q := p
	if q < len(s) && (s[q] == '"' || s[q] == '\'') {
		q++
	}
	for _, scheme := range []string{"bearer ", "basic ", "token ", "apikey ", "digest ", "negotiate ", "bot "} {
		if len(s)-q > len(scheme) && strings.EqualFold(s[q:q+len(scheme)], scheme) {
			return q + len(scheme)
		}
	}
	return p
}

// quoteEnd is the end of a quoted value: the closing quote that is not escaped, else
// the end of the line.
func quoteEnd(s string, p int, quote byte) int {
	limit := min(len(s), p+maxValue)
	for q := p; q < limit; q++ {
		switch s[q] {
		case quote:
			if q == p || s[q-1] != '\\' || q > p+1 && s[q-2] == '\\' {
				return q
			}
		case '\n':
			if quote != '`' {
				return q
			}
		}
	}
	return limit
}

// bareEnd is the end of a value without quotes.
func bareEnd(s string, p int, level sensitivity) int {
	limit := min(len(s), p+maxValue)
	q := p
	for q < limit && !isSpace(s[q]) && s[q] != '"' && s[q] != '<' && s[q] != '\\' {
		if level != secret && strings.IndexByte(",;&'`)}]", s[q]) >= 0 {
			break
		}
		if s[q] == '&' || s[q] == ';' && q+1 < limit && s[q+1] != '}' {
			break
		}
		if s[q] == ',' && (q+1 == limit || isSpace(s[q+1]) || s[q+1] == '"') {
			break
		}
		q++
	}
	for q > p && strings.IndexByte(",;'`):", s[q-1]) >= 0 && q-p > 1 {
		q--
	}
	return q
}
