// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"unsafe"
)

// memberVerdict says what the name [a,b) of a member means for its value: by itself, by
// the names above it, and by a name in another member beside it.
func (sc *scanner) memberVerdict(s string, a, b int, escaped bool, depth, top int) verdict {
	mark := len(sc.buf)
	key := s[a:b]
	if escaped {
		sc.buf = codecJSON.decode(sc.buf, key)
		key = unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark)
	}
	outer := sc.key
	d := sc.nameVerdict(s, key, a, b, escaped)
	sc.key = verdict{max(outer.level, d.level), d.kind}
	f := &sc.frames[top]
	if f.inherit.level > d.level {
		d = sc.inherited(key, f.inherit, d)
	}
	if isValueName(key) {
		if f.pair.level == harmless {
			f.pair = sc.pairBehind(s, b)
		}
		if f.pair.level > d.level {
			d = f.pair
		}
	}
	sc.buf = sc.buf[:mark]
	return d
}

// nameVerdict scans the name [a,b) of a member, which is key when it is decoded, and says what
// it means by itself.
func (sc *scanner) nameVerdict(s, key string, a, b int, escaped bool) verdict {
	name, hash, ok := nameOf(sc.m, s, a, b)
	// A host is asked again, and may say something else.
	ok = ok && !escaped && sc.e.callback == nil && len(sc.e.allow) == 0
	if ok {
		if says, known := sc.names.Load(hash, name); known {
			return says
		}
	}
	base := len(sc.spans)
	sc.key = verdict{}
	sc.scanText(key, maxViews)
	if ok && len(sc.spans) == base {
		sc.names.Store(hash, name, sc.key)
	}
	sc.outward(s, a, b, escaped, base)
	return sc.key
}

// inherited says what the name above means for a member of this name.
func (sc *scanner) inherited(key string, above, own verdict) verdict {
	if isValueName(key) {
		return above
	}
	for i, word := range sc.words.wordsOf(key) {
		if aboutWords[word] || i == 0 && beforeAny[word] {
			return own
		}
	}
	return verdict{max(telling, own.level), above.kind}
}

// isValueName reports whether a member of this name holds the value of what stands
// above or beside.
func isValueName(key string) bool {
	if key == "" || len(key) > 12 {
		return false
	}
	switch lower[key[0]] {
	case 'v', 'd', 's', 'c', 't', 'p', 'r', 'n', 'o', 'b':
	default:
		return false
	}
	switch key {
	case "value", "val", "v", "data", "secret", "content", "text", "plain", "raw", "current", "new", "old", "default", "body",
		"Value", "Data", "Secret", "stringValue", "string_value", "secretValue", "secret_value":
		return true
	}
	return false
}

// isPairName reports whether a member of this name names what "value" holds.
func isPairName(key string) bool {
	switch key {
	case "name", "key", "header", "variable", "var", "field", "param", "parameter", "env", "k", "attribute", "property", "label", "Name", "Key", "Header", "Variable":
		return true
	}
	return false
}

// pairBehind looks for the name of a pair whose value stands first.
func (sc *scanner) pairBehind(s string, b int) verdict {
	rest := s[b:min(len(s), b+512)]
	sc.spend(len(rest) / 16)
	near := rest // in the same object
	for _, brace := range [...]byte{'{', '}'} {
		if i := strings.IndexByte(near, brace); i >= 0 {
			near = near[:i]
		}
	}
	for _, name := range [...]string{`"name"`, `"key"`, `"Name"`, `"Key"`} {
		i := strings.Index(near, name)
		if i < 0 {
			continue
		}
		p := skipBlank(rest, i+len(name))
		if p >= len(rest) || rest[p] != ':' {
			continue
		}
		if p = skipBlank(rest, p+1); p < len(rest) && rest[p] == '"' {
			end, _, closed := quotedEnd(rest, p+1)
			if closed && end-p <= maxName {
				return classify(rest[p+1 : end])
			}
		}
	}
	return verdict{}
}

// itemVerdict says what stands beside a string means for it, and notes what it means
// for the next one.
func (sc *scanner) itemVerdict(s string, a, b int, escaped bool, d verdict, depth, base int) verdict {
	if len(sc.frames) == base {
		return d
	}
	f := &sc.frames[len(sc.frames)-1]
	if f.object {
		if b-a <= maxName && f.pair.level == harmless && isPairName(f.src[f.keyStart:f.keyEnd]) {
			f.pair = sc.words.classify(s[a:b])
		}
		if s[a:b] == "Secret" && f.src[f.keyStart:f.keyEnd] == "kind" {
			f.pair = verdict{secret, idSecret} // a Kubernetes Secret: its data
		}
		return d
	}
	v := s[a:b]
	arg, expect := f.arg, f.expect
	f.arg, f.expect = verdict{}, argumentAny
	switch {
	case expect == argumentUser:
		sc.shifted(s, a, b, func(v string) { sc.userPassword(v, 0, len(v)) })
		return d
	case expect == argumentValue && len(v) > 0 && v[0] != '-':
		return verdict{secret, idPassword}
	case arg.level > d.level && (len(v) == 0 || v[0] != '-'):
		d = arg
	}
	switch {
	case len(v) < 2 || len(v) > maxName:
	case v[0] == '-':
		f.option(v)
	case f.program == 0 || f.index == 0:
		f.startsProgram(v)
		if f.index > 0 || len(v) > 32 || !isFieldLike(v) {
			return d
		}
		if name := sc.words.classify(v); name.level > harmless {
			f.arg = verdict{telling, name.kind}
		}
	}
	return d
}

func isFieldLike(v string) bool {
	for i := range len(v) {
		if chars[v[i]]&chName == 0 {
			return false
		}
	}
	return true
}

// option notes what an option says of the next item.
func (f *frame) option(v string) {
	if strings.IndexByte(v, '=') >= 0 || strings.IndexByte(v, ' ') >= 0 {
		return
	}
	if f.program > 0 {
		p := &programs[f.program-1]
		switch {
		case oneOf(p.user, v):
			f.expect = argumentUser
			return
		case oneOf(p.value, v):
			f.expect = argumentValue
			return
		}
	}
	f.arg = classify(strings.TrimLeft(v, "-"))
}

// startsProgram notes that the items are the arguments of a program.
func (f *frame) startsProgram(v string) {
	if n, ok := programHeads[v[strings.LastIndexByte(v, '/')+1:]]; ok {
		f.program = n + 1
	}
}

// programHeads are the first words of programs, and which is the first program that has it.
var programHeads = func() map[string]int32 {
	heads := make(map[string]int32)
	for i := range programs {
		head, _, _ := strings.Cut(strings.TrimSpace(programs[i].name), " ")
		if _, ok := heads[head]; !ok {
			heads[head] = int32(i)
		}
	}
	return heads
}()

// shifted scans the string [a,b) of s, which has no escapes, with find.
func (sc *scanner) shifted(s string, a, b int, find func(v string)) {
	base := len(sc.spans)
	settled := sc.settled
	sc.settled = 0
	find(s[a:b])
	sc.settled = settled
	for i := range sc.spans[base:] {
		sc.spans[base+i].start += a
		sc.spans[base+i].end += a
	}
}
