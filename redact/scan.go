// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"sync"
)

// span is a piece of text to remove.
type span struct {
	start, end int
	kind       string
}

// scanner is the working memory of one redaction.
type scanner struct {
	r              *Redactor
	spans          []span
	buf            []byte  // decoded strings, nested by depth
	frames         []frame // the stacks of the walk and of those nested in it, used again
	found          Findings
	secretManifest uint8 // whether the text is a Kubernetes Secret: 0 not looked, 1 no, 2 yes
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (sc *scanner) release() {
	clear(sc.spans[:cap(sc.spans)])
	clear(sc.frames[:cap(sc.frames)])
	*sc = scanner{spans: sc.spans[:0], buf: sc.buf[:0], frames: sc.frames[:0]}
	if cap(sc.spans) > 1024 || cap(sc.buf) > 1<<20 {
		*sc = scanner{}
	}
	scanners.Put(sc)
}

// The classes of bytes that make the scan stop and look.
const (
	classAssign = 1 << iota // = : , >
	classAt                 // @
	classDigit
	classDash    // - (PEM, command line flags)
	classDot     // . (tokens in three parts)
	classTilde   // ~ (Azure's secrets)
	classBracket // [ (marks of ours)
)

var classes = func() (t [256]uint8) {
	t['='], t[':'], t[','], t['>'] = classAssign, classAssign, classAssign, classAssign
	t['@'] = classAt
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit
	}
	t['+'] = classDigit
	t['-'], t['.'], t['~'], t['['] = classDash, classDot, classTilde, classBracket
	return t
}()

// find collects the spans of s in order, without overlaps. It is one pass: what
// looks around a position looks at a bounded neighbourhood.
func (sc *scanner) find(s string) []span {
	base := len(sc.spans)
	sc.secretManifest = 0
	last := 0 // everything before is settled
	for i := 0; i < len(s); {
		c := classes[s[i]]
		if c == 0 && !prefixAt(s, i) {
			i++
			continue
		}
		if c == classBracket {
			if end := markEnd(s, i); end > 0 { // what we marked before is settled
				last, i = end, end
			} else {
				i++
			}
			continue
		}
		start, end, kind := sc.look(s, i, last, c)
		if kind == "" || start < last || end <= start || !sc.r.wants(kind, s[start:end]) || isMark(s[start:end]) {
			i = max(i+1, skipTo(s, i, c, end, kind))
			continue
		}
		sc.spans = append(sc.spans, span{start, end, kind})
		last, i = end, end
	}
	spans := sc.spans[base:]
	return spans
}

// skipTo is how far nothing more can be found after a look that found nothing: a
// run of digits is looked at once.
func skipTo(s string, i int, class uint8, end int, kind string) int {
	if kind == "" && class == classDigit && end > i {
		return end
	}
	return i + 1
}

// look asks the detectors of one position.
func (sc *scanner) look(s string, i, last int, class uint8) (start, end int, kind string) {
	if start, end, kind = tokenAt(s, i); kind != "" {
		return start, end, kind
	}
	if (s[i] == ':' || s[i] == '-') && i >= 2 && sc.r.personal {
		if end := macEnd(s, i-2); end > 0 {
			return i - 2, end, "mac-address"
		}
	}
	switch class {
	case classDot:
		if start, end, kind = discordAt(s, i, last); kind != "" {
			return start, end, kind
		}
		return atlasAt(s, i, last)
	case classTilde:
		return azureAt(s, i)
	case classAssign:
		if s[i] == ':' {
			if start, end, kind = urlAt(s, i); kind != "" {
				return start, end, kind
			}
		}
		if start, end, kind = assignmentAt(s, i, last); kind == "" && s[i] == ':' && sc.kube(s) {
			return kubeAt(s, i)
		}
		return start, end, kind
	case classAt:
		if sc.r.personal {
			return emailAt(s, i, last)
		}
	case classDigit:
		if sc.r.personal {
			return numberAt(s, i)
		}
	case classDash:
		if start, end, kind = pemAt(s, i); kind != "" {
			return start, end, kind
		}
		return flagAt(s, i)
	}
	return 0, 0, ""
}

// isMark reports whether a value is a mark of ours, which is not marked again.
func isMark(v string) bool { return v != "" && v[0] == '[' && markEnd(v, 0) == len(v) }

// markEnd is the end of the mark of ours that begins at i; 0 if none does. A mark of
// a kind that does not exist is text like any other.
func markEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], markHead) {
		return 0
	}
	from := i + len(markHead)
	n := strings.IndexByte(s[from:min(len(s), from+40)], ']')
	if n <= 0 || !knownKinds()[s[from:from+n]] {
		return 0
	}
	return from + n + 1
}

// text redacts plain text, or JSON that stands as text.
func (sc *scanner) text(s string, depth int) (string, Findings) {
	if looksLikeJSON(s) {
		if out, ok := sc.json(s, depth); ok {
			return out, sc.found
		}
	}
	out := sc.plain(s)
	return out, sc.found
}

// plain redacts text without looking for JSON.
func (sc *scanner) plain(s string) string {
	base := len(sc.spans)
	spans := sc.known(s, sc.find(s))
	defer func() { sc.spans = sc.spans[:base] }()
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16*len(spans))
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.start])
		b.WriteString(mark(sp.kind))
		at = sp.end
		sc.found = sc.found.add(sp.kind)
	}
	b.WriteString(s[at:])
	return b.String()
}

// known adds the places of known values to spans.
func (sc *scanner) known(s string, spans []span) []span {
	for _, v := range sc.r.known {
		for at := 0; ; {
			i := strings.Index(s[at:], v)
			if i < 0 {
				break
			}
			spans = insert(spans, span{at + i, at + i + len(v), "known-value"})
			at += i + len(v)
		}
	}
	return spans
}

// insert puts a span in its place and joins what it overlaps.
func insert(spans []span, n span) []span {
	var out []span
	placed := false
	for _, sp := range spans {
		switch {
		case sp.end <= n.start:
			out = append(out, sp)
		case n.end <= sp.start:
			if !placed {
				out, placed = append(out, n), true
			}
			out = append(out, sp)
		default:
			n.start, n.end = min(n.start, sp.start), max(n.end, sp.end)
		}
	}
	if !placed {
		out = append(out, n)
	}
	return out
}
