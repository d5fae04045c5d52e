// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"github.com/toolscope/toolscope/redact/internal/cut"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// TextMax redacts s and cuts it to at most max bytes, the note that says how much is
// missing included: head and tail stay, on rune boundaries. max 0 or less is no
// limit. Of an input over 64 KiB only what may be shown, and 8 KiB beyond, is
// scanned, and a private key that begins up to 64 KiB before; the rest is never shown.
func (r *Redactor) TextMax(s string, max int) (string, Report) {
	rep := Report{Size: len(s)}
	if max <= 0 {
		out, found := r.Text(s)
		rep.Findings = found
		return out, rep
	}
	if len(s) > cut.WholeText && len(s) > 2*(max+cut.Overlap) {
		head, f1 := r.Text(cut.UntilToken(s[:max+cut.Overlap]))
		if head == marks.OfKind(kinds.Binary) {
			rep.Findings = f1
			return head, rep // the tail is no text, either
		}
		tail, f2 := r.Text(cut.TailOf(s, len(s)-max-cut.Overlap))
		rep.Findings, rep.Truncated = f1.and(f2), true
		return cut.CutText(head, tail, len(s), max), rep
	}
	out, found := r.Text(s)
	rep.Findings = found
	if len(out) <= max {
		return out, rep
	}
	rep.Truncated = true
	return cut.CutText(out, out, len(out), max), rep
}

// JSONMax redacts src as [Redactor.JSON] does and cuts it to at most max bytes: JSON
// stays valid by shortening long strings, then by leaving out what follows the
// head, which a last member or item tells. max 0 or less is no limit. Of an input
// over 64 times max (64 KiB to 1 MiB) only the head is scanned and shown. src is never written to.
func (r *Redactor) JSONMax(src []byte, limit int) ([]byte, Report) {
	rep := Report{Size: len(src)}
	if limit <= 0 || len(src) <= limit {
		out, found := r.JSON(src)
		rep.Findings = found
		if limit <= 0 || len(out) <= limit {
			return out, rep
		}
		src = out
	} else {
		window := src
		if len(src) > min(cut.WholeJSON, max(cut.WholeText, 64*limit)) && len(src) > limit+cut.Overlap {
			window = src[:limit+cut.Overlap]
		}
		out, found := r.JSON(window)
		rep.Findings = found
		if len(window) == len(src) && len(out) <= limit {
			return out, rep
		}
		src = out
	}
	rep.Truncated = true
	return shortened(src, rep.Size, limit), rep
}

// shortened cuts redacted JSON to at most max bytes; size is that of the original.
func shortened(src []byte, size, max int) []byte {
	if s := view(src); syntax.LooksLikeJSON(s) {
		longest := cut.LongestString(s)
		for _, leaf := range []int{max / 4, max / 16, 64} {
			if longest <= leaf+cut.Slack {
				continue // nothing to shorten
			}
			if shorter := cut.ShortenStrings(s, leaf); len(shorter) <= max && len(src) >= size {
				return []byte(shorter)
			}
		}
		if longest > 64+cut.Slack {
			s = cut.ShortenStrings(s, 64)
		}
		if cut, ok := cut.CutJSON(s, size, max); ok {
			return []byte(cut)
		}
	}
	return []byte(cut.CutText(view(src), view(src), size, max))
}
