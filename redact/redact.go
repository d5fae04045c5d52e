// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"sync"
	"unsafe"
)

// A Redactor removes secrets and personal data. It does not change after [New],
// is safe for concurrent use, and nil works as [Default] does.
type Redactor struct {
	engine *engine // nil: nothing is looked for
	tools  *toolViews
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
	if o.Preset == Off && len(o.Kinds) == 0 {
		return new(Redactor), nil
	}
	s.compile()
	s.engine.rules = rulesFor(s.rules, "")
	if s.engine.rules == nil && s.rules != nil {
		s.engine.rules = []placeRule{} // those of tools have the last word there, too
	}
	return &Redactor{engine: &s.engine, tools: newToolViews(s.rules)}, nil
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
	if r.engine == nil || s == "" {
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
	if r.engine == nil || len(src) == 0 {
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
			return appendUnscanned(out[:length], s, json), Findings{{Kind: idUnscanned.name(), Count: 1}}, true
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
	sc := newScanner(r.engine, len(s))
	length := len(dst)
	defer func() {
		if recover() != nil {
			out, found, again = appendUnscanned(dst[:length], s, json), Findings{{Kind: idUnscanned.name(), Count: 1}}, false
			r.engine.tally.countSteps(sc.steps)
			return // the scanner is in an unknown state: not used again
		}
		r.engine.tally.countSteps(sc.steps)
		sc.release()
	}()
	if !sc.look(s, d, json) {
		return dst, nil, false
	}
	if dst == nil {
		dst = make([]byte, 0, len(s)+24*len(sc.spans))
	}
	out = sc.apply(dst, s)
	sc.count(len(out) - length)
	lists := knownLists.Get().(*knownFindings)
	for i := range sc.spans {
		lists.next = lists.next.plus(sc.spans[i].kind.name(), sc.spans[i].path)
	}
	found = lists.list()
	knownLists.Put(lists)
	return out, found, sc.unsettled && r.engine.callback == nil && r.engine.rules == nil
}

// appendUnscanned is what stands for a text that could not be looked at.
func appendUnscanned(dst []byte, s string, json bool) []byte {
	if json && looksLikeJSON(s) {
		return append(append(append(dst, '"'), markOf(idUnscanned)...), '"')
	}
	return append(dst, markOf(idUnscanned)...)
}
