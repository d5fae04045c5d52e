// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"strings"
)

type editInput struct {
	Path       string  `json:"path"`
	SourceText string  `json:"source_text"`
	TargetText *string `json:"target_text"`
}

func (t *Toolset) edit(ctx context.Context, in editInput) (string, error) {
	switch {
	case in.SourceText == "":
		return "", invalid("source_text", "no text", "the text to replace; file_write creates a file")
	case in.TargetText == nil:
		return "", invalid("target_text", "nothing", `the text to put in, "" to remove`)
	case *in.TargetText == in.SourceText:
		return "", invalid("target_text", "the same as source_text", "a text that differs")
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	if err := p.checkWritable(); err != nil {
		return "", err
	}
	unlock, err := t.locks.lock(ctx, p.key(), true)
	if err != nil {
		return "", err
	}
	defer unlock()
	parent, name, err := p.openParent(false)
	if err != nil {
		return "", p.explain(err)
	}
	defer parent.Close()
	content, info, err := read(ctx, parent, name)
	if err != nil {
		return "", p.explain(err)
	}
	if !isText(content) {
		return "", p.explain(errBinary(len(content)))
	}
	old := string(content)
	c, err := find(old, in.SourceText, *in.TargetText)
	if err != nil {
		return "", err
	}
	edited := old[:c.start] + c.with + old[c.end:]
	if edited == old {
		return "", invalid("target_text", "what stands in the file already", "a text that differs")
	}
	if err := replace(ctx, parent, name, info, []byte(edited)); err != nil {
		return "", p.explain(err)
	}
	return fmt.Sprintf("edited (matched: %s)\n%s", c.level, diff(p.shown, old, c)), nil
}

// diffContext is how many lines a difference shows before and after a change.
const diffContext = 3

// diff is the unified difference that one change makes, carriage returns left out.
func diff(name, old string, c change) string {
	start := strings.LastIndexByte(old[:c.start], '\n') + 1
	end := c.end
	if !lineStart(old[start:c.end]) || !lineStart(old[start:c.start]+c.with) {
		if i := strings.IndexByte(old[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(old)
		}
	}
	before, after := splitLines(old[:start]), splitLines(old[end:])
	removed, added := splitLines(old[start:end]), splitLines(old[start:c.start]+c.with+old[c.end:end])
	lead := before[max(0, len(before)-diffContext):]
	trail := after[:min(len(after), diffContext)]

	var b strings.Builder
	first := len(before) - len(lead)
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ -%s +%s @@\n", name, name,
		span(first, len(lead)+len(removed)+len(trail)), span(first, len(lead)+len(added)+len(trail)))
	for _, part := range []struct {
		mark  string
		lines []string
	}{{" ", lead}, {"-", removed}, {"+", added}, {" ", trail}} {
		for _, line := range part.lines {
			ended := strings.HasSuffix(line, "\n")
			b.WriteString(part.mark + strings.TrimRight(line, "\r\n") + "\n")
			if !ended {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// lineStart tells whether what follows s begins a line, if s does.
func lineStart(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }

// span is a range of lines as unified differences write it.
func span(before, lines int) string {
	if lines == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, lines)
}

// splitLines splits after each newline, without an empty last part.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	return lines[:len(lines)-1+min(1, len(lines[len(lines)-1]))]
}
