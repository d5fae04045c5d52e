// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/syntax"
	"github.com/toolscope/toolscope/redact/internal/tables"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// memberVerdict says what the name [a,b) of a member means for its value: by itself, by
// the names above it, and by a name in another member beside it.
func (sc *Scanner) memberVerdict(s string, a, b int, escaped bool, depth, top int) names.Verdict {
	mark := len(sc.buf)
	key := s[a:b]
	if escaped {
		sc.buf = codec.JSON.Decode(sc.buf, key)
		key = unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark)
	}
	if sc.e.Explain {
		sc.because("name "+strings.Clone(key), values.Enough)
	}
	outer := sc.key
	d := sc.nameVerdict(s, key, a, b, escaped)
	sc.key = names.Verdict{Level: max(outer.Level, d.Level), Kind: d.Kind}
	f := &sc.frames[top]
	if above := sc.paramVerdict(top, key); above.Level > d.Level {
		d = above
	}
	if f.inherit.Level > d.Level {
		d = sc.inherited(key, f, d)
	}
	if besideName(key) {
		if above := sc.besideVerdict(s, a, b, key); above.Level > d.Level {
			d = above
		}
	}
	if names.IsValueName(key) {
		if f.pair.Level == names.Harmless {
			f.pair = sc.pairBehind(s, b)
		}
		if f.pair.Level > d.Level {
			d = f.pair
		}
	}
	sc.buf = sc.buf[:mark]
	return d
}

// paramVerdict says what the parameter of this name, a member of the frame at top or of one of its items, means in the
// statement that stands beside the parameters: {"sql": "… key = :k", "binds": {"k": …}}.
func (sc *Scanner) paramVerdict(top int, name string) names.Verdict {
	for n := top - 1; n >= 0 && n >= top-2; n-- {
		f := &sc.frames[n]
		if f.object && f.grid.sql[1] > 0 && isParams(f.src[f.keyStart:f.keyEnd]) {
			return sc.classify(tables.Named(f.src[f.grid.sql[0]:f.grid.sql[1]], name))
		}
	}
	return names.Verdict{}
}

// nameVerdict scans the name [a,b) of a member, which is key when it is decoded, and says what
// it means by itself.
func (sc *Scanner) nameVerdict(s, key string, a, b int, escaped bool) names.Verdict {
	name, hash, ok := nameOf(sc.m, s, a, b)
	// A host is asked again, and may say something else.
	ok = ok && !escaped && sc.e.Callback == nil && len(sc.e.Allow)+len(sc.e.AllowGlobs) == 0
	if ok {
		if says, known := sc.names.Load(hash, &name); known {
			return says
		}
	}
	base := len(sc.Spans)
	sc.key = names.Verdict{}
	sc.scanText(key, maxViews)
	if sc.key.Level == names.Harmless {
		sc.key = sc.classify(key)
	}
	if ok && len(sc.Spans) == base {
		sc.names.Store(hash, &name, sc.key)
	}
	sc.outward(s, a, b, escaped, base)
	return sc.key
}

// inherited says what the name above the frame f means for a member of this name.
func (sc *Scanner) inherited(key string, f *frame, own names.Verdict) names.Verdict {
	above := f.inherit
	if names.IsValueName(key) || chars.IsDigits(key) { // by the number of a row
		return above
	}
	if above.Kind == kinds.Token && (key == "access" || key == "refresh") { // {"tokens": {"access": …}}
		return names.Verdict{Level: names.Secret, Kind: kinds.Token}
	}
	if !f.inherits {
		return own
	}
	for i, word := range sc.words.WordsOf(key) {
		if names.AboutWords[word] || i == 0 && names.BeforeAny[word] {
			return own
		}
	}
	return names.Verdict{Level: max(names.Telling, own.Level), Kind: above.Kind}
}

// besideName reports whether besideVerdict has something to say about a member of this name.
func besideName(key string) bool { return key == "k" || key == "result" }

// besideVerdict says what the text around the name [a,b) of a member means for it: the key of a symmetric JSON Web Key,
// and what a resource of Terraform has drawn.
func (sc *Scanner) besideVerdict(s string, a, b int, key string) names.Verdict {
	before, behind := s[max(0, a-nearType):a], s[b:min(len(s), b+nearType)]
	sc.spend((len(before) + len(behind)) / 16)
	switch {
	case key == "k" && (strings.Contains(before, `"oct"`) || strings.Contains(behind, `"oct"`)):
		return names.Verdict{Level: names.Secret, Kind: kinds.Secret}
	case key == "result" && strings.Contains(before, `"random_password"`):
		return names.Verdict{Level: names.Secret, Kind: kinds.Password}
	}
	return names.Verdict{}
}

// nearType is how far from a member what says its type is looked for, in bytes.
const nearType = 300

// pairBehind looks for the name of a pair whose value stands first.
func (sc *Scanner) pairBehind(s string, b int) names.Verdict {
	rest := s[b:min(len(s), b+512)]
	sc.spend(len(rest) / 16)
	near := rest // in the same object
	for _, brace := range [...]byte{'{', '}'} {
		if i := strings.IndexByte(near, brace); i >= 0 {
			near = near[:i]
		}
	}
	for _, name := range [...]string{`"name"`, `"key"`, `"Name"`, `"Key"`, `"type"`, `"label"`, `"field"`, `"selector"`,
		`"selectors"`} {
		i := strings.Index(near, name)
		if i < 0 {
			continue
		}
		text, ok := pairName(rest, i+len(name), name == `"selectors"`)
		if !ok {
			continue
		}
		v := names.Classify(strings.TrimPrefix(strings.TrimLeft(text, "#"), "aria/"))
		if v.Kind == kinds.Session && inCookie(rest) {
			v = names.Verdict{Level: names.Secret, Kind: kinds.Cookie}
		}
		if name != `"type"` || isTypeOfSecret(v) {
			return v
		}
	}
	return names.Verdict{}
}

// pairName is the string that a member has whose own name ends at p, or the first string of its list if
// list is set; ok tells that there is one that is short enough for a name.
func pairName(s string, p int, list bool) (text string, ok bool) {
	if p = syntax.SkipBlank(s, p); p >= len(s) || s[p] != ':' {
		return "", false
	}
	if p = syntax.SkipBlank(s, p+1); list {
		p = chars.SkipAny(s, p, "[ \n")
	}
	if p >= len(s) || s[p] != '"' {
		return "", false
	}
	end, _, closed := syntax.QuotedEnd(s, p+1)
	if !closed || end-p > names.MaxName {
		return "", false
	}
	return s[p+1 : end], true
}

// itemVerdict says what the text beside a string means for it, and notes what it means
// for the next one.
func (sc *Scanner) itemVerdict(s string, a, b int, escaped bool, d names.Verdict, depth, base int) names.Verdict {
	if len(sc.frames) == base {
		return d
	}
	f := &sc.frames[len(sc.frames)-1]
	if f.object {
		sc.noteMember(s, a, b, base)
		return d
	}
	v := s[a:b]
	if hasParameters(v) {
		f.grid.sql = [2]int{a, b}
	}
	arg, expect := f.arg, f.expect
	f.arg, f.expect = names.Verdict{}, argumentAny
	switch {
	case expect == argumentUser:
		sc.shifted(s, a, b, func(v string) { sc.userPassword(v, 0, len(v)) })
		return d
	case expect == argumentValue && len(v) > 0 && v[0] != '-':
		return names.Verdict{Level: names.Secret, Kind: kinds.Password}
	case arg.Level == names.Telling && f.named && values.LooksLikePassword(v): // ["password","x"]
		d = names.Verdict{Level: names.Secret, Kind: arg.Kind}
	case arg.Level > d.Level && (len(v) == 0 || v[0] != '-'):
		d = arg
	}
	sc.noteArgument(f, v)
	return d
}

// noteMember notes what the string [a,b) of the innermost object means for the object's other members: it
// may name the value of a pair, say its type, or be a statement of SQL. The frames below base belong to
// another text.
func (sc *Scanner) noteMember(s string, a, b, base int) {
	top := len(sc.frames) - 1
	f := &sc.frames[top]
	key, short := f.src[f.keyStart:f.keyEnd], b-a <= names.MaxName
	if short && f.pair.Level == names.Harmless && names.IsPairName(key) {
		sc.namePair(s, a, b, base)
	}
	if (key == "type" || key == "Type") && short && f.pair.Level == names.Harmless {
		if v := sc.classify(s[a:b]); isTypeOfSecret(v) {
			f.pair = v
		}
	}
	if key == "keyName" && f.pair.Level == names.Harmless { // of Azure
		f.pair = names.Verdict{Level: names.Telling, Kind: kinds.APIKey}
	}
	if isStatement(key) {
		f.grid.sql = [2]int{a, b}
	}
	if s[a:b] == "Secret" && key == "kind" {
		f.pair = names.Verdict{Level: names.Secret, Kind: kinds.Secret} // a Kubernetes Secret: its data
	}
}

// namePair notes what [a,b), the name of a pair, means for the pair's value, which may be in the innermost
// object or beside it: {"target": {"name": "password"}, "value": "x"}.
func (sc *Scanner) namePair(s string, a, b, base int) {
	top := len(sc.frames) - 1
	f := &sc.frames[top]
	f.pair = sc.classify(names.OfField(s[a:b]))
	if v := sc.paramVerdict(top, s[a:b]); v.Level > f.pair.Level {
		f.pair = v
	}
	if f.pair.Kind == kinds.Session && inCookie(s[b:min(len(s), b+nearType)]) {
		f.pair = names.Verdict{Level: names.Secret, Kind: kinds.Cookie}
	}
	if top <= base {
		return
	}
	if outer := &sc.frames[top-1]; outer.object && names.IsTarget(outer.src[outer.keyStart:outer.keyEnd]) {
		outer.pair = f.pair
	}
}

// noteArgument notes what the item v of a list means for the next item: it may be an option, the name of
// the program whose arguments follow, or the name of a value.
func (sc *Scanner) noteArgument(f *frame, v string) {
	f.named = false
	if len(v) < 2 || len(v) > names.MaxName {
		return
	}
	if v[0] == '-' {
		f.option(v)
		return
	}
	if f.program != 0 && f.index != 0 {
		return
	}
	f.startsProgram(v)
	v = v[chars.LastByte(v, '/')+1:] // prod/db-password
	if f.index > 0 || v == "" || len(v) > 32 || !chars.IsFieldLike(strings.ReplaceAll(v, " ", "_")) {
		return
	}
	if name := sc.classify(v); name.Level > names.Harmless && name.Kind != names.PersonName {
		f.arg, f.named = names.Verdict{Level: names.Telling, Kind: name.Kind}, name.Level == names.Secret
		if isPersonal(name) {
			f.arg.Level = name.Level
		}
	}
}

// inCookie reports whether the members in v are those of a cookie, as browsers write it.
func inCookie(v string) bool {
	v, _, _ = strings.Cut(v, "}")
	return chars.ContainsFold(v, `"httponly"`) || chars.ContainsFold(v, `"samesite"`)
}

// isTypeOfSecret reports whether a type says that the value beside it is a password. Tokens are also what parsers read.
func isTypeOfSecret(v names.Verdict) bool { return v.Level == names.Secret && v.Kind == kinds.Password }

// option notes what an option says of the next item.
func (f *frame) option(v string) {
	if strings.IndexByte(v, '=') >= 0 || strings.IndexByte(v, ' ') >= 0 {
		return
	}
	if f.program > 0 {
		p := &operands.Programs[f.program-1]
		switch {
		case chars.OneOf(p.User, v):
			f.expect = argumentUser
			return
		case chars.OneOf(p.Value, v):
			f.expect = argumentValue
			return
		}
	}
	f.arg = names.Classify(strings.TrimLeft(v, "-"))
}

// startsProgram notes that the items are the arguments of a program.
func (f *frame) startsProgram(v string) {
	if n, ok := programHeads[v[chars.LastByte(v, '/')+1:]]; ok {
		f.program = n + 1
	}
}

// programHeads are the first words of programs, and which is the first program that has it.
var programHeads = func() map[string]int32 {
	heads := make(map[string]int32)
	for i := range operands.Programs {
		head, _, _ := strings.Cut(strings.TrimSpace(operands.Programs[i].Name), " ")
		if _, ok := heads[head]; !ok {
			heads[head] = int32(i)
		}
	}
	return heads
}()

// shifted scans the string [a,b) of s, which has no escapes, with find.
func (sc *Scanner) shifted(s string, a, b int, find func(v string)) {
	base := len(sc.Spans)
	settled := sc.settled
	sc.settled = 0
	find(s[a:b])
	sc.settled = settled
	for i := range sc.Spans[base:] {
		sc.Spans[base+i].start += a
		sc.Spans[base+i].end += a
	}
}
