// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cut

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/rules"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// Overlap is how much more than the limit is scanned at a cut, so that what is
// shown was seen with what stands around it.
const Overlap = 8 << 10

// The largest inputs that are scanned whole before they are cut. What is shown of plain
// text is its two ends, so the middle of a larger one need not be looked at; in JSON any
// string may be shown in part.
const (
	WholeText = 64 << 10
	WholeJSON = 1 << 20
)

// note says how much is missing.
func note(missing int) string {
	return "…[" + strconv.Itoa(missing) + " bytes cut]…"
}

// CutText joins the beginning of head and the end of tail around a note, in at most
// max bytes. Marks are not cut in two.
func CutText(head, tail string, size, max int) string {
	n := note(size)
	if max <= len(n) {
		return cutHead("…", max)
	}
	room := max - len(n)
	h := cutHead(head, room*3/4)
	t := cutTail(tail, room-len(h))
	return h + note(size-len(h)-len(t)) + t
}

// cutHead is at most n bytes of the beginning of s.
func cutHead(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	near := max(0, n-marks.Max)
	if i := strings.LastIndex(s[near:], marks.Head); i >= 0 && strings.IndexByte(s[near+i:], ']') < 0 {
		s = s[:near+i]
	}
	return s
}

// cutTail is at most n bytes of the end of s.
func cutTail(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	near := max(0, at-marks.Max)
	if i := strings.LastIndex(s[near:at], marks.Head); i >= 0 && strings.IndexByte(s[near+i:at], ']') < 0 {
		if e := strings.IndexByte(s[at:], ']'); e >= 0 {
			at += e + 1
		}
	}
	return s[at:]
}

// UntilToken drops the last token of a window, which may be cut in two.
func UntilToken(s string) string {
	for i := len(s) - 1; i >= 0 && len(s)-i < Overlap/2; i-- {
		if chars.IsSpace(s[i]) {
			return s[:i]
		}
	}
	return s[:max(0, len(s)-Overlap/2)]
}

// TailOf is the end of s from start on, without a token that began before. A block whose
// end is still to come then begins the tail: its lines alone would not be known for a key.
func TailOf(s string, start int) string {
	before := s[max(0, start-WholeText):start]
	if strings.Contains(before, rules.PemBegin) { // much faster than to look for the last one
		if block := strings.LastIndex(before, rules.PemBegin); strings.LastIndex(before, rules.PemEnd) < block {
			return s[start-len(before)+block:]
		}
	}
	return fromToken(s[start:])
}

// fromToken drops the first token of a window.
func fromToken(s string) string {
	for i := 0; i < len(s) && i < Overlap/2; i++ {
		if chars.IsSpace(s[i]) {
			return s[i:]
		}
	}
	return s[min(len(s), Overlap/2):]
}

// Slack is how many bytes longer than it is cut to a string may be and is left alone: the
// note takes as many.
const Slack = 40

// LongestString is the length of the longest string of JSON text that is closed.
func LongestString(s string) (longest int) {
	for i := 0; i < len(s); {
		q := strings.IndexByte(s[i:], '"')
		if q < 0 {
			break
		}
		start := i + q + 1
		end, closed := syntax.StringEnd(s, start)
		if closed {
			longest = max(longest, end-start)
		}
		i = end + 1
	}
	return longest
}

// ShortenStrings cuts the strings of JSON text to about leaf bytes, head and tail.
func ShortenStrings(s string, leaf int) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		q := strings.IndexByte(s[i:], '"')
		if q < 0 {
			break
		}
		start := i + q + 1
		end, closed := syntax.StringEnd(s, start)
		if end-start > leaf+Slack && closed {
			head, tail := safeHead(s[start:end], leaf*3/4), safeTail(s[start:end], leaf/4)
			b.WriteString(s[from : start+len(head)])
			b.WriteString(note(end - start - len(head) - len(tail)))
			from = end - len(tail)
		}
		i = end + 1
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// safeHead is at most n bytes of a JSON string's inside that end outside an escape.
func safeHead(s string, n int) string {
	s = cutHead(s, n)
	for k := max(0, len(s)-12); k < len(s); k++ {
		if s[k] != '\\' {
			continue
		}
		length := 2
		if k+1 < len(s) && s[k+1] == 'u' {
			length = 6
		}
		if k+length > len(s) {
			return s[:k]
		}
		k += length - 1
	}
	return s
}

// safeTail is at most n bytes of a JSON string's inside that begin outside an escape.
func safeTail(s string, n int) string {
	at := len(s) - len(cutTail(s, n))
	// Begin at a place that no backslash of the last 12 bytes can reach.
	for at < len(s) && strings.IndexByte(s[max(0, at-12):at], '\\') >= 0 {
		at++
	}
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// CutJSON keeps the head of JSON text up to a comma, tells what is missing in a last
// item or member, and closes what is open.
func CutJSON(s string, size, max int) (string, bool) {
	var stack []byte
	keep := -1
	var closing []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			end, closed := syntax.StringEnd(s, i+1)
			if !closed {
				i = len(s)
				break
			}
			i = end
		case '{':
			stack = append(stack, '}')
		case '[':
			stack = append(stack, ']')
		case '}', ']':
			if len(stack) == 0 {
				return "", false
			}
			stack = stack[:len(stack)-1]
		case ',':
			if len(stack) == 0 {
				return "", false
			}
			if i+len(stack)+64 > max {
				i = len(s)
				break
			}
			keep, closing = i, append(closing[:0], stack...)
		}
	}
	if keep < 0 {
		return "", false
	}
	last := `,"` + note(size-keep) + `"`
	if closing[len(closing)-1] == '}' {
		last += `:true`
	}
	out := s[:keep] + last
	for i := len(closing) - 1; i >= 0; i-- {
		out += string(closing[i])
	}
	return out, len(out) <= max
}
