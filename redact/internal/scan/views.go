// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	b64 "encoding/base64"
	"strings"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/codec"
	"github.com/toolscope/toolscope/redact/internal/names"
)

// maxViews is how many encodings within each other are opened in plain text.
const maxViews = 4

// views looks at plain text in the ways it may be meant: with escapes, percent and
// base64 encoding opened, without a terminal's colours, and JSON within it walked.
func (sc *Scanner) views(s string, depth int) {
	if depth >= maxViews {
		return
	}
	if strings.IndexByte(s, '\\') >= 0 {
		sc.escapedLines(s, depth)
	}
	if i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s) && codec.PercentEncoded(s[i:]) {
		sc.view(s, 0, codec.Percent, depth)
	}
	if strings.IndexByte(s, byte(codec.ANSI)) >= 0 {
		sc.view(s, 0, codec.ANSI, depth)
	}
	if i := strings.IndexByte(s, 0); i >= 0 && i < len(s)-1 {
		sc.view(s, 0, codec.NUL, depth)
	}
	for _, c := range [...]codec.Codec{codec.SoftHyphen, codec.ZeroWidth, codec.ByteOrder} {
		if strings.IndexByte(s, byte(c)) >= 0 && c.InvisibleIn(s) {
			sc.view(s, 0, c, depth)
		}
	}
	if codec.EntityIn(s) {
		sc.view(s, 0, codec.Entity, depth)
	}
	sc.encoded(s, depth)
	if sc.key.Level > names.Harmless && !sc.quick {
		sc.fragments(s, depth)
	}
}

// view scans what s stands for in c.
func (sc *Scanner) view(s string, offset int, c codec.Codec, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.Unsettled = true
	sc.Count(len(s))
	sc.pay(costOfByte * len(s))
	base, mark := len(sc.Spans), len(sc.buf)
	sc.buf = c.Decode(sc.buf, s)
	sc.scanText(unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark), depth+1)
	translate(c, s, sc.Spans[base:], offset)
	sc.buf = sc.buf[:mark]
}

// escapedLines scans the lines that have escapes in them, with the escapes opened.
func (sc *Scanner) escapedLines(s string, depth int) {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '\\')
		if i < 0 {
			return
		}
		i += at
		if i+1 == len(s) || strings.IndexByte(`nrtux"'/\`, s[i+1]) < 0 {
			at = i + 1
			continue
		}
		start := at + strings.LastIndexByte(s[at:i], '\n') + 1
		end := len(s)
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			end = i + n
		}
		sc.view(s[start:end], start, codec.JSON, depth)
		if sc.quick {
			return
		}
		at = end + 1
	}
}

// encoded opens runs of base64 (RFC 4648, both alphabets) that decode to text. If
// something is found inside, the run is removed.
func (sc *Scanner) encoded(s string, depth int) {
	for i := codec.MinEncoded - 1; i < len(s); i += codec.MinEncoded {
		if chars.Class[s[i]]&chars.B64 == 0 || codec.BrokenAround(s, i) {
			continue
		}
		start, end := i, i+1
		start = chars.SkipBack(s, max(0, i-codec.MinEncoded), start, chars.B64)
		end = chars.Skip(s, end, chars.B64)
		if end-start >= codec.MinEncoded {
			if text := codec.OpenHex(s[start:end]); text != "" {
				sc.openText(s, start, end, text, depth)
			} else if text := codec.OpenGzip(s[start:end]); text != "" {
				sc.pay(costOfByte * len(text))
				sc.openText(s, start, chars.Skip(s, end, chars.Equal), text, depth)
			} else if codec.OpensToText(s[start:end]) {
				sc.openRun(s, start, end, depth)
			} else {
				sc.bareRandom(s, start, end)
			}
			if sc.quick && sc.suspect {
				return
			}
		}
		if end > i+1 {
			i = end - 1
		}
	}
}

// openText scans text, which the run [start,end) stands for. If something is found inside, the run
// is removed.
func (sc *Scanner) openText(s string, start, end int, text string, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.Unsettled = true
	base := len(sc.Spans)
	sc.stringValue(text, names.Verdict{}, depth+1)
	if len(sc.Spans) > base {
		found := sc.Spans[base]
		sc.Spans = append(sc.Spans[:base], span{start: start, end: end, Kind: found.Kind, repl: found.repl,
			Path: found.Path})
	}
}

// openRun scans what the run [start,end) decodes to.
func (sc *Scanner) openRun(s string, start, end, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.Unsettled = true
	run := s[start:end]
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	base, mark := len(sc.Spans), len(sc.buf)
	for i := range len(run) {
		sc.buf = append(sc.buf, codec.StandardAlphabet(run[i]))
	}
	text := sc.buf[mark:]
	n, err := b64.RawStdEncoding.Decode(text, text)
	if err == nil && n > 0 {
		sc.stringValue(unsafe.String(unsafe.SliceData(text), n), names.Verdict{}, depth+1)
	}
	sc.buf = sc.buf[:mark]
	if len(sc.Spans) == base {
		return
	}
	end = chars.Skip(s, end, chars.Equal)
	found := sc.Spans[base]
	sc.Spans = append(sc.Spans[:base], span{start: start, end: end, Kind: found.Kind, repl: found.repl,
		Path: found.Path})
}

// fragments walks the JSON objects within text, for what only their structure tells.
func (sc *Scanner) fragments(s string, depth int) {
	for at := 0; at < len(s); {
		i := strings.Index(s[at:], `{"`)
		if i < 0 {
			return
		}
		i += at
		end, _ := sc.walk(s, i, depth+1)
		sc.Count(max(0, end-i))
		at = max(end, i+2)
	}
}
