// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Redactor removes secrets and personal data. It does not change after [New],
// is safe for concurrent use, and nil works as [Default] does.
type Redactor struct {
	settings
	machine *machine
	tools   *toolViews
	tally   *tally
}

// A tally counts the steps of work; nil counts none. Tests set it.
type tally struct{ steps atomic.Int64 }

func (t *tally) add(n int) {
	if t != nil {
		t.steps.Add(int64(n))
	}
}

var defaultRedactor = sync.OnceValue(func() *Redactor {
	r, err := New(Options{})
	if err != nil {
		panic(err) // the zero Options cannot fail
	}
	return r
})

// Default is the redactor with nothing set: every kind that is on by default, as
// [Kinds] tells.
func Default() *Redactor { return defaultRedactor() }

// New makes a redactor. An error names the field that is wrong, what it got and what it wants.
func New(o Options) (*Redactor, error) {
	allDetectors()
	s, err := newSettings(&o)
	if err != nil {
		return nil, err
	}
	r := &Redactor{settings: s}
	r.finish()
	return r, nil
}

func (r *Redactor) orDefault() *Redactor {
	if r == nil {
		return Default()
	}
	return r
}

// Text removes what is found in plain text. JSON in it is walked as [Redactor.JSON]
// does. Text comes back as it is, without a copy, if nothing was found.
func (r *Redactor) Text(s string) (string, Findings) {
	r = r.orDefault()
	if r.off || s == "" {
		return s, nil
	}
	out, found, changed := r.run(nil, s, verdict{}, false)
	if !changed {
		return s, nil
	}
	return text(out), found
}

// JSON removes what is found in JSON text: by the names of members, and in every string
// and number, however it is written. Valid JSON stays valid, byte for byte where
// nothing was removed; src itself comes back if nothing was, and is never written to.
// What is no JSON, or cut off, or several texts behind one another, is redacted all the
// same.
func (r *Redactor) JSON(src []byte) ([]byte, Findings) {
	r = r.orDefault()
	if r.off || len(src) == 0 {
		return src, nil
	}
	out, found, changed := r.run(nil, text(src), verdict{}, true)
	if !changed {
		return src, nil
	}
	return out, found
}

// text is b as a string, without a copy. b must not change while the string is in use.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func view(b []byte) string { return text(b) }

// maxPasses is how often a text is gone over until nothing more is found.
const maxPasses = 8

// run appends s redacted to dst. If nothing was found it appends nothing and says so.
//
// Redacting twice is redacting once. A mark, however, changes what stands beside it: a
// number that went on is one that begins, a list has lost an item, and where a text is
// seen decoded as well, with NUL bytes, percent codes, escapes and base64 opened, what
// was one word in one of these views is two. So a text is gone over again until nothing
// changes, and what does not come to rest is removed. What stands apart needs no second
// look: an issuer's token between blanks or quotes, the whole value of a JSON member. A
// host's callback and rules have the last word: they are asked once.
func (r *Redactor) run(dst []byte, s string, d verdict, json bool) (out []byte, found Findings, changed bool) {
	length := len(dst)
	out, found, again := r.pass(dst, s, d, json)
	if found == nil {
		return dst, nil, false
	}
	for n := 1; again; n++ {
		var more Findings
		var next []byte
		if n == maxPasses {
			return appendUnscanned(out[:length], s, json), Findings{{Kind: kinds[idUnscanned].Name, Count: 1}}, true
		}
		if next, more, again = r.pass(nil, text(out[length:]), d, json); more == nil {
			break
		}
		out, found = append(out[:length], next...), found.and(more)
	}
	return out, found, true
}

// pass is one pass of run. again tells that the text was changed and another pass may
// find more. Whatever goes wrong, the whole is removed.
func (r *Redactor) pass(dst []byte, s string, d verdict, json bool) (out []byte, found Findings, again bool) {
	sc := newScanner(r, len(s))
	length := len(dst)
	defer func() {
		if recover() != nil {
			out, found, again = appendUnscanned(dst[:length], s, json), Findings{{Kind: kinds[idUnscanned].Name, Count: 1}}, false
			r.tally.add(sc.steps)
			return // the scanner is in an unknown state: not used again
		}
		r.tally.add(sc.steps)
		sc.release()
	}()
	if r.rules == nil && d.level == harmless && sc.harmless(s) {
		return dst, nil, false
	}
	sc.settled, sc.named, sc.counted, sc.read = 0, 0, 0, 0
	switch {
	case r.rules != nil && sc.wholeByRule(s):
	case json && isNumber(s):
		sc.documents(s, 0)
	default:
		sc.stringValue(s, d, 0)
	}
	if len(sc.spans) == 0 {
		return dst, nil, false
	}
	sc.normalise(0)
	sc.elsewhere(s)
	if dst == nil {
		dst = make([]byte, 0, len(s)+24*len(sc.spans))
	}
	out = sc.apply(dst, s)
	sc.count(len(out) - length)
	list := sc.found[:0]
	for i := range sc.spans {
		sp := &sc.spans[i]
		list = list.add(kinds[sp.kind].Name, sp.path)
	}
	sc.found = list
	return out, sc.lists.list(list), sc.unsettled && r.callback == nil && r.rules == nil
}

// isNumber reports whether JSON text is a number alone.
func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && !isSpace(s[i]) && strings.IndexByte("+-.eE", s[i]) < 0 {
			return false
		}
	}
	return true
}

// harmless reports whether JSON text has nothing in it that wants a walk: it is looked
// at as one piece, whatever its structure. Text with escapes is not.
func (sc *scanner) harmless(s string) bool {
	if len(s) < 3 {
		return false
	}
	if !looksLikeJSON(s) || strings.IndexByte(s, '\\') >= 0 {
		return false
	}
	sc.quick = true
	sc.anchors(s)
	if !sc.suspect {
		sc.views(s, 0)
	}
	clean := !sc.suspect
	sc.quick, sc.suspect = false, false
	return clean
}

// appendUnscanned is what stands for a text that could not be looked at.
func appendUnscanned(dst []byte, s string, json bool) []byte {
	if json && looksLikeJSON(s) {
		return append(append(append(dst, '"'), markOf(idUnscanned)...), '"')
	}
	return append(dst, markOf(idUnscanned)...)
}
