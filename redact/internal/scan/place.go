// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// tag is the keyed hash of a value, for correlation across calls.
func tag(key []byte, value string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(value))
	return hex.EncodeToString(h.Sum(nil)[:marks.TagBytes])
}

// decide fills in what stands for the value, and reports whether it is removed.
func (sc *Scanner) decide(sp *span, value string) bool {
	e := sc.e
	if len(e.Allow)+len(e.AllowGlobs) > 0 && e.allowed(value) {
		return false
	}
	sp.Path = sc.place()
	if e.Callback != nil {
		switch action, repl := e.Callback(sp.Path, sp.Kind.Name(), value); action {
		case actionKeep:
			return false
		case actionDrop:
			sp.drop = true
			return true
		case actionReplace:
			sp.repl, sp.drop = repl, repl == ""
			return true
		}
	}
	switch {
	case e.StandIns && StandIns[sp.Kind.Name()] != "":
		sp.repl = StandIns[sp.Kind.Name()]
	case e.Key != nil:
		sp.repl = marks.Head + sp.Kind.Name() + ":" + tag(e.Key, value) + "]"
	}
	return true
}

// MaxPlaces is how many places findings tell apart.
const MaxPlaces = 64

// OtherPlaces is the path of what is counted together.
const OtherPlaces = "…"

// place is the path for what is found, made once for each value. Findings tell
// [MaxPlaces] places apart; only a callback gets more.
func (sc *Scanner) place() string {
	if len(sc.frames) == 0 {
		return ""
	}
	if !sc.placed {
		if sc.places++; sc.places > MaxPlaces && sc.e.Callback == nil {
			return OtherPlaces
		}
		sc.lastPlace, sc.placed = sc.path(), true
	}
	return sc.lastPlace
}

// path is the JSON Pointer (RFC 6901) of the value being looked at. Names that hold
// secrets are masked in it. Calls of one tool have their secrets at the same places, so
// the last few paths are remembered.
func (sc *Scanner) path() string {
	if len(sc.frames) == 0 {
		return ""
	}
	for i := range sc.frames {
		sc.spend(sc.frames[i].keyEnd - sc.frames[i].keyStart + 1)
	}
	raw := appendPlace(sc.raw[:0], sc.frames)
	sc.raw = raw
	if len(raw) > maxPath {
		return sc.makePath()
	}
	for i := range sc.paths {
		if m := &sc.paths[i]; m.engine == sc.e && string(m.raw) == string(raw) {
			return m.path
		}
	}
	m := &sc.paths[sc.places%len(sc.paths)]
	m.engine, m.raw, m.path = sc.e, append(m.raw[:0], raw...), sc.makePath()
	return m.path
}

// appendPlace tells apart where the innermost of frames is: of each its index, or its name
// with its length. It stops where a path is too long to be remembered.
func appendPlace(b []byte, frames []frame) []byte {
	for i := range frames {
		f := &frames[i]
		if !f.object {
			b = strconv.AppendInt(append(b, '#'), int64(f.index), 10)
			continue
		}
		key := f.src[f.keyStart:f.keyEnd]
		if b = strconv.AppendInt(append(b, '/'), int64(len(key)), 10); len(b)+len(key) > maxPath {
			return append(b, key[:min(len(key), maxPath+1)]...)
		}
		b = append(append(b, ':'), key...)
	}
	return b
}

// makePath makes a path that is not remembered.
func (sc *Scanner) makePath() string {
	b := make([]byte, 0, 64)
	for i := range sc.frames {
		f := &sc.frames[i]
		b = append(b, '/')
		if len(b) > maxPath {
			return string(b) + "…"
		}
		if !f.object {
			b = strconv.AppendInt(b, int64(f.index), 10)
			continue
		}
		b = appendPointer(b, sc.cleanName(f.src[f.keyStart:f.keyEnd]))
	}
	return string(b)
}

// maxPath is the longest path of a finding, in bytes, give or take one name.
const maxPath = 256

func appendPointer(b []byte, name string) []byte {
	for i := range len(name) {
		switch name[i] {
		case '~':
			b = append(b, "~0"...)
		case '/':
			b = append(b, "~1"...)
		default:
			b = append(b, name[i])
		}
	}
	return b
}

// cleanName redacts the name of a member for a path.
func (sc *Scanner) cleanName(name string) string {
	if len(name) > names.MaxName {
		return "…"
	}
	inner := NewScanner(sc.e.plain(), len(name))
	defer inner.Release()
	inner.stringValue(name, names.Verdict{}, maxViews)
	if len(inner.Spans) == 0 {
		return name
	}
	inner.normalise(0)
	return string(inner.Apply(nil, name))
}

// Apply appends s with the spans replaced.
func (sc *Scanner) Apply(dst []byte, s string) []byte {
	at := 0
	for i := range sc.Spans {
		sp := &sc.Spans[i]
		if sp.start < at { // joined already
			continue
		}
		dst = append(dst, s[at:sp.start]...)
		at = sp.end
		if sp.drop {
			continue
		}
		if sp.quote > 0 {
			dst = appendQuote(dst, sp.quote)
		}
		if sp.repl != "" {
			dst = append(dst, sp.repl...)
		} else {
			dst = append(dst, marks.Head...)
			dst = append(dst, sp.Kind.Name()...)
			dst = append(dst, ']')
		}
		if sp.quote > 0 {
			dst = appendQuote(dst, sp.quote)
		}
	}
	return append(dst, s[at:]...)
}

// appendQuote appends the quote of a string that is n-1 strings deep.
func appendQuote(dst []byte, n uint8) []byte {
	for range 1<<min(n-1, 10) - 1 {
		dst = append(dst, '\\')
	}
	return append(dst, '"')
}
