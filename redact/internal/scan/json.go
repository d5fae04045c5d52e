// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/personal"
	"github.com/toolscope/toolscope/redact/internal/syntax"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// stringValue finds the spans of a string that is a value: by its name, as JSON, as
// text.
func (sc *Scanner) stringValue(v string, d names.Verdict, depth int) {
	if len(v) < 2 {
		if d.Level == names.Secret && v != "" && chars.IsAlnum(v[0]) && sc.wholeNumber(v, d) {
			sc.takeSpan(v, 0, len(v), d.Kind)
		}
		return
	}
	settled := sc.settled
	sc.settled = 0
	taken := d.Level > names.Harmless && sc.namedValue(v, d)
	sc.settled = settled
	if taken {
		return
	}
	if syntax.LooksLikeJSON(v) {
		if depth > sc.e.Limits.Inner {
			sc.settled = 0
			sc.takeSpan(v, 0, len(v), kinds.Unscanned)
			sc.settled = settled
			return
		}
		if sc.documents(v, depth+1) {
			return
		}
	}
	sc.scanText(v, depth)
}

// namedValue decides on a string whose name tells, and reports whether it was decided.
func (sc *Scanner) namedValue(v string, d names.Verdict) bool {
	if d.Kind == kinds.Signature {
		return false
	}
	if !marks.IsMark(v) {
		sc.payMany(costOfMember)
	}
	o := values.Operand{Start: 0, End: len(v), Op: ':', Quoted: true}
	if n, done := sc.headerValue(v, o, d); done {
		return n > 0
	}
	if (v[0] == '{' || v[0] == '[') && syntax.LooksLikeJSON(v) && d.Level < names.Secret {
		return false
	}
	if d.Kind == kinds.Password && sc.inResult(v) {
		return false
	}
	name := sc.memberName()
	if d.Kind == kinds.Password && strings.IndexByte(v, ' ') < 0 { // which may be its name again
		name = ""
	}
	return sc.judge(v, name, d, o, false) && sc.takeNamed(v, 0, len(v), d.Kind) > 0
}

// inResult reports whether v is the value of "pass", or stands below it, and says how a test ended: in words, and
// without a user beside it, or with the words for another end.
func (sc *Scanner) inResult(v string) bool {
	for n := len(sc.frames) - 1; n >= max(0, len(sc.frames)-2); n-- {
		if f := &sc.frames[n]; f.object && f.src[f.keyStart:f.keyEnd] == "pass" {
			behind := f.src[f.keyEnd:min(len(f.src), f.keyEnd+len(v)+nearUser)]
			return !ofUser(f.src, f.keyStart) && (values.IsResult(v) || strings.Contains(behind, `"fail`))
		}
	}
	return false
}

// wholeNumber reports whether a number is worth removing under a name.
func (sc *Scanner) wholeNumber(v string, d names.Verdict) bool {
	if isPersonal(d) && d.Kind != kinds.SSN {
		return personal.Fits(d, v)
	}
	digits := 0
	for i := range len(v) {
		if !chars.IsDigit(v[i]) {
			return false
		}
		digits++
	}
	switch d.Kind {
	case kinds.PIN, kinds.SSN, kinds.Password:
		return digits >= 3
	}
	return digits >= 6
}

// documents walks one JSON text, or several behind one another, and reports whether all
// of v was that.
func (sc *Scanner) documents(v string, depth int) bool {
	sc.Count(len(v))
	base := len(sc.Spans)
	ok := true
	for i := syntax.SkipBlank(v, 0); i < len(v); i = syntax.SkipBlank(v, i) {
		end, whole := sc.walk(v, i, depth)
		if !whole {
			ok = false
			break
		}
		i = end
	}
	sc.normalise(base)
	return ok
}

// innerString scans the inside [a,b) of a JSON string, and leaves the spans in the
// coordinates of s.
func (sc *Scanner) innerString(s string, a, b int, escaped bool, d names.Verdict, depth int) {
	base, mark, outer, at := len(sc.Spans), len(sc.buf), sc.leads, sc.budget.at
	sc.budget.origin += a
	v := s[a:b]
	if escaped {
		sc.leads = anyLead
		sc.Count(len(v))
		sc.buf = codec.JSON.Decode(sc.buf, v)
		v = unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark)
	}
	sc.stringValue(v, d, depth)
	sc.outward(s, a, b, escaped, base)
	sc.buf, sc.leads = sc.buf[:mark], outer
	sc.budget.origin, sc.budget.at = sc.budget.origin-a, at
	sc.budget.reached(a)
}

// outward translates the spans from base on, found in the string [a,b) of s.
func (sc *Scanner) outward(s string, a, b int, escaped bool, base int) {
	if len(sc.Spans) == base {
		return
	}
	sc.normalise(base)
	list := sc.Spans[base:]
	if escaped {
		translate(codec.JSON, s[a:b], list, a)
	} else {
		for i := range list {
			list[i].start += a
			list[i].end += a
		}
	}
	for i := range list {
		if list[i].quote > 0 {
			list[i].quote++
		}
		list[i].repl = escapeText(list[i].repl)
	}
}

// escapeText makes a replacement one that may stand in a JSON string.
func escapeText(v string) string {
	for i := range len(v) {
		if c := v[i]; c < ' ' || c == '"' || c == '\\' {
			q := strconv.AppendQuote(nil, strings.ToValidUTF8(v, "\ufffd"))
			return jsonEscapes.Replace(string(q[1 : len(q)-1]))
		}
	}
	return v
}

// jsonEscapes turns what only Go's quoting has into what JSON has.
var jsonEscapes = strings.NewReplacer(`\a`, `\u0007`, `\v`, `\u000b`, `\x`, `\u00`, `\'`, `'`)
