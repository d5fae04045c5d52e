// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

type readInput struct {
	Path      string `json:"path"`
	StartLine *int   `json:"start_line"`
	EndLine   *int   `json:"end_line"`
}

func (t *Toolset) read(ctx context.Context, in readInput) (string, error) {
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	first, last := 1, maxFileBytes
	if in.StartLine != nil {
		first = *in.StartLine
	}
	if in.EndLine != nil {
		last = *in.EndLine
	}
	if first < 1 {
		return "", arg.Invalid("start_line", fmt.Sprint(first), "1 or more")
	}
	if last < first {
		return "", arg.Invalid("end_line", fmt.Sprint(last), fmt.Sprintf("start_line (%d) or more", first))
	}
	content, err := t.content(ctx, p)
	if err != nil {
		return "", p.explain(err)
	}
	text, e, ok := decode(content)
	if !ok {
		return "", p.explain(errBinary(content))
	}
	shown, err := number(p, text, e, first, last)
	if err == nil {
		t.seen.remember(ctx, p, content)
	}
	return shown, err
}

// content reads a file under its lock.
func (t *Toolset) content(ctx context.Context, p place) ([]byte, error) {
	release, err := t.hold(ctx, claim{place: p})
	if err != nil {
		return nil, err
	}
	defer release()
	parent, name, err := p.openParent(false)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	content, _, err := p.root.read(ctx, parent, name)
	return content, err
}

// number shows the lines from first to last, as many as an answer takes.
func number(p place, text string, e encoding, first, last int) (string, error) {
	if text == "" {
		return fmt.Sprintf("%s: empty file\n", p.shown), nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if first > len(lines) {
		return "", arg.Invalid("start_line", fmt.Sprint(first), fmt.Sprintf("at most %d, the file's last line", len(lines)))
	}
	last = min(last, len(lines))
	var b strings.Builder
	shown := first - 1
	for i := first; i <= last; i++ {
		line := strings.TrimSuffix(lines[i-1], "\r")
		if room := maxAnswerBytes - b.Len(); len(line) > room {
			if i > first {
				break
			}
			line = cut(line, room) // a first line that is too long is shown in part
		}
		fmt.Fprintf(&b, "%6d\t%s\n", i, line)
		shown = i
	}
	head := fmt.Sprintf("%s: lines %d to %d of %d", p.shown, first, shown, len(lines))
	if e != plainUTF8 {
		head += ", encoding " + e.String()
	}
	if crlf(text) {
		head += ", line endings CRLF"
	}
	if shown < last || b.Len() > maxAnswerBytes {
		head += fmt.Sprintf("; cut at %d bytes, go on with start_line %d", maxAnswerBytes, shown+1)
	}
	return head + "\n" + b.String(), nil
}
