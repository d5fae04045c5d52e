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
	if sc.leads != 0 {
		sc.openViews(s, depth)
	}
	sc.encoded(s, depth)
	if sc.key.Level > names.Harmless && !sc.quick {
		sc.fragments(s, depth)
	}
}

// leads are the bytes that begin what openViews opens.
var leads = [...]codec.Codec{codec.JSON, codec.Percent, codec.ANSI, codec.NUL, codec.SoftHyphen, codec.ZeroWidth,
	codec.ByteOrder, codec.Entity}

// Sets of leads: all of them, and the backslash.
const (
	anyLead    = 1<<len(leads) - 1
	escapeLead = 1
)

// leadsIn is the set of the leads that s has.
func leadsIn(s string) (set uint8) {
	for k, c := range leads {
		if strings.IndexByte(s, byte(c)) >= 0 {
			set |= 1 << k
		}
	}
	return set
}

// newLeads is the set of the leads that are to be opened in decoded, which s stands for in c: of those before c only the
// ones that the decoding has made. The others are opened in s, and c within them, which gives the same text.
func newLeads(s, decoded string, c codec.Codec) uint8 {
	set := leadsIn(decoded)
	for k := 0; leads[k] != c; k++ {
		lead := string([]byte{byte(leads[k])}) // of UTF-8 the first byte
		if set>>k&1 == 1 && strings.Count(decoded, lead) <= strings.Count(s, lead) {
			set &^= 1 << k
		}
	}
	return set
}

// openViews is views for what begins with one of the leads that the whole text has.
func (sc *Scanner) openViews(s string, depth int) {
	for k, c := range leads {
		if sc.leads>>k&1 == 0 {
			continue
		}
		i := strings.IndexByte(s, byte(c))
		if i < 0 {
			continue
		}
		open := true
		switch c {
		case codec.JSON:
			sc.escapedLines(s, depth)
			open = false
		case codec.Percent:
			open = i+2 < len(s) && codec.PercentEncoded(s[i:])
		case codec.NUL:
			open = i < len(s)-1
		case codec.SoftHyphen, codec.ZeroWidth, codec.ByteOrder:
			open = c.InvisibleIn(s)
		case codec.Entity:
			open = codec.EntityIn(s[i:])
		}
		if open {
			sc.view(s, 0, c, depth)
		}
	}
}

// deepEscape is in JSON within JSON several times.
const deepEscape = `\\\\\\\\`

// readings is how often text like s is read, as it is and with encodings opened, which are opened in each other.
func (sc *Scanner) readings(s string) int {
	n := 0
	for _, c := range [...]codec.Codec{codec.SoftHyphen, codec.ZeroWidth, codec.ByteOrder} {
		if strings.IndexByte(s, byte(c)) >= 0 && c.InvisibleIn(s) {
			n++
		}
	}
	if i := strings.IndexByte(s, '%'); i >= 0 && i+2 < len(s) && codec.PercentEncoded(s[i:]) {
		n++
	}
	if codec.EntityIn(s) {
		n++
	}
	if strings.Contains(s, deepEscape) {
		n += 3
	}
	return [...]int{1, 2, 5, 16}[min(n, 3)]
}

// view scans what s stands for in c.
func (sc *Scanner) view(s string, offset int, c codec.Codec, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.Unsettled = true
	sc.Count(len(s))
	if c == codec.JSON {
		sc.pay(len(s))
	} else {
		sc.pay(costOfByte * len(s))
	}
	if c == codec.JSON && strings.Contains(s, deepEscape) {
		sc.pay(costOfNesting * len(s))
	}
	base, mark, outer := len(sc.Spans), len(sc.buf), sc.leads
	sc.buf = c.Decode(sc.buf, s)
	decoded := unsafe.String(unsafe.SliceData(sc.buf[mark:]), len(sc.buf)-mark)
	sc.leads = newLeads(s, decoded, c)
	nested := 0
	if c != codec.JSON {
		nested = 1
	}
	sc.budget.views += nested
	sc.scanText(decoded, depth+1)
	sc.budget.views -= nested
	translate(c, s, sc.Spans[base:], offset)
	sc.buf, sc.leads = sc.buf[:mark], outer
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
		start := at + chars.LastByte(s[at:i], '\n') + 1
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
	var h held
	if 2*len(s) > sc.budget.size {
		h = sc.hold()
	}
	for i := codec.MinEncoded - 1; i < len(s); i += codec.MinEncoded {
		if chars.Class[s[i]]&chars.B64 == 0 || codec.BrokenAround(s, i) {
			continue
		}
		start, end := i, i+1
		start = chars.SkipBack(s, max(0, i-codec.MinEncoded), start, chars.B64)
		end = chars.Skip(s, end, chars.B64)
		if end-start >= codec.MinEncoded {
			sc.release(&h, end, len(s))
			if strings.HasPrefix(s[start:end], "H4sI") {
				sc.pay(costOfGzip)
			}
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
	sc.release(&h, 1, 1)
}

// openText scans text, which the run [start,end) stands for. If something is found inside, the run
// is removed.
func (sc *Scanner) openText(s string, start, end int, text string, depth int) {
	if sc.quick {
		sc.suspect = true
		return
	}
	sc.Unsettled = true
	sc.pay(costOfOpening)
	base, outer := len(sc.Spans), sc.leads
	sc.leads = anyLead
	sc.stringValue(text, names.Verdict{}, depth+1)
	sc.leads = outer
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
	sc.pay(costOfOpening + costOfByte*len(run))
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	base, mark, outer := len(sc.Spans), len(sc.buf), sc.leads
	for i := range len(run) {
		sc.buf = append(sc.buf, codec.StandardAlphabet(run[i]))
	}
	text := sc.buf[mark:]
	n, err := b64.RawStdEncoding.Decode(text, text)
	if v := unsafe.String(unsafe.SliceData(text), n); err == nil && n > 0 && codec.IsText(v) {
		sc.leads = anyLead
		sc.stringValue(v, names.Verdict{}, depth+1)
	}
	sc.buf, sc.leads = sc.buf[:mark], outer
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
		sc.pay(costOfByte * max(0, end-i))
		at = max(end, i+2)
	}
}
