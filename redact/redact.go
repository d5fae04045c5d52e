// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"sync"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/scan"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// A Redactor removes secrets and personal data. It does not change after [New],
// is safe for concurrent use, and nil works as [Default] does.
type Redactor struct {
	engine *scan.Engine // nil: nothing is looked for
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
	scan.AllDetectors()
	s, err := newSettings(&o)
	if err != nil {
		return nil, err
	}
	if o.Preset == Off && len(o.Kinds) == 0 {
		return new(Redactor), nil
	}
	s.Compile()
	s.Engine.Rules, s.Engine.KindRules = rulesFor(s.rules, "")
	if s.Engine.Rules == nil && slices.ContainsFunc(s.rules, func(r toolRule) bool { return r.ofKinds == nil }) {
		s.Engine.Rules = []scan.PlaceRule{} // those of tools have the last word there, too
	}
	return &Redactor{engine: &s.Engine, tools: newToolViews(s.rules)}, nil
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
	out, found, changed := r.run(nil, s, names.Verdict{}, false)
	if !changed {
		return s, nil
	}
	return syntax.Text(out), found
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
	out, found, changed := r.run(nil, syntax.Text(src), names.Verdict{}, true)
	if !changed {
		return src, nil
	}
	return out, found
}

func view(b []byte) string { return syntax.Text(b) }

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
func (r *Redactor) run(dst []byte, s string, d names.Verdict, json bool) (out []byte, found Findings, changed bool) {
	length := len(dst)
	left := -1
	out, found, again := r.pass(dst, s, d, json, &left)
	if found == nil {
		return dst, nil, false
	}
	for n := 1; again; n++ {
		var more Findings
		var next []byte
		if n == maxPasses {
			return appendUnscanned(out[:length], s, json), Findings{{Kind: kinds.Unscanned.Name(), Count: 1}}, true
		}
		if n == 1 {
			left += r.engine.Limits.Work * len(s) // to see that nothing more is found
		}
		if next, more, again = r.pass(nil, syntax.Text(out[length:]), d, json, &left); more == nil {
			break
		}
		out, found = append(out[:length], next...), found.and(more)
	}
	return out, found, true
}

// pass is one pass of run. again tells that the text was changed and another pass may
// find more. Whatever goes wrong, the whole is removed.
func (r *Redactor) pass(dst []byte, s string, d names.Verdict, json bool, left *int) (out []byte, found Findings,
	again bool) {
	sc := scan.NewScanner(r.engine, len(s))
	if *left >= 0 { // all passes share the work
		sc.Carry(*left)
	}
	length := len(dst)
	defer func() {
		if recover() != nil {
			out, found, again = appendUnscanned(dst[:length], s, json),
				Findings{{Kind: kinds.Unscanned.Name(), Count: 1}}, false
			r.engine.Tally.CountSteps(sc.Steps)
			return // the scanner is in an unknown state: not used again
		}
		r.engine.Tally.CountSteps(sc.Steps)
		*left = max(0, sc.Left())
		sc.Release()
	}()
	if !sc.Look(s, d, json) {
		return dst, nil, false
	}
	if dst == nil {
		dst = make([]byte, 0, len(s)+24*len(sc.Spans))
	}
	out = sc.Apply(dst, s)
	sc.Count(len(out) - length)
	lists := knownLists.Get().(*knownFindings)
	for i := range sc.Spans {
		lists.next = lists.next.plus(sc.Spans[i].Kind.Name(), sc.Spans[i].Path)
	}
	found = lists.list()
	knownLists.Put(lists)
	return out, found, sc.Unsettled && r.engine.Callback == nil && r.engine.Rules == nil
}

// appendUnscanned is what stands for a text that could not be looked at.
func appendUnscanned(dst []byte, s string, json bool) []byte {
	if json && syntax.LooksLikeJSON(s) {
		return append(append(append(dst, '"'), marks.OfKind(kinds.Unscanned)...), '"')
	}
	return append(dst, marks.OfKind(kinds.Unscanned)...)
}
