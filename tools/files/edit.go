// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

type editInput struct {
	Path string `json:"path"`
	editStep
	Edits []editStep `json:"edits"`
}

type editStep struct {
	SourceText string  `json:"source_text"`
	TargetText *string `json:"target_text"`
}

// steps gives the edits in order, whichever form they were given in.
func (in editInput) steps() ([]editStep, error) {
	steps := in.Edits
	switch {
	case len(steps) == 0:
		return []editStep{in.editStep}, in.check("")
	case in.SourceText != "" || in.TargetText != nil:
		return nil, arg.Invalid("edits", "edits beside source_text and target_text", "one of the two forms")
	case len(steps) > maxEdits:
		return nil, arg.Invalid("edits", fmt.Sprintf("%d edits", len(steps)), fmt.Sprintf("at most %d", maxEdits))
	}
	for i, s := range steps {
		if err := s.check(fmt.Sprintf("edits[%d].", i)); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func (s editStep) check(prefix string) error {
	switch {
	case s.SourceText == "":
		return arg.Invalid(prefix+"source_text", "no text", "the text to replace; file_write creates a file")
	case s.TargetText == nil:
		return arg.Invalid(prefix+"target_text", "nothing", `the text to put in, "" to remove`)
	case *s.TargetText == s.SourceText:
		return arg.Invalid(prefix+"target_text", "the same as source_text", "a text that differs")
	}
	return nil
}

func (t *Toolset) edit(ctx context.Context, in editInput) (string, error) {
	steps, err := in.steps()
	if err != nil {
		return "", err
	}
	f, err := t.openForWriting(ctx, in.Path, false)
	if err != nil {
		return "", err
	}
	defer f.close()
	p, parent, name := f.place, f.parent, f.name
	content, info, err := p.root.read(ctx, parent, name)
	if err == nil {
		err = t.seen.check(ctx, p, content)
	}
	if err != nil {
		return "", p.explain(err)
	}
	before, e, ok := decode(content)
	if !ok {
		return "", p.explain(errBinary(content))
	}
	after, levels, err := applyEdits(before, steps)
	if err != nil {
		return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: err.Error(), Cause: err}
	}
	if after == before {
		return "", arg.Invalid("target_text", "what stands in the file already", "a text that differs")
	}
	edited, err := e.encode(after)
	if err == nil {
		err = t.replace(ctx, p, parent, name, info, edited)
	}
	if err != nil {
		return "", p.explain(err)
	}
	return fmt.Sprintf("edited (matched: %s)\n%s", strings.Join(levels, "; "), diff(p.shown, before, after)), nil
}

// applyEdits makes the edits one after another, each in what the one before left,
// and gives the level at which each was found.
func applyEdits(text string, steps []editStep) (edited string, levels []string, err error) {
	for i, s := range steps {
		c, err := find(text, s.SourceText, *s.TargetText)
		if err != nil {
			if len(steps) > 1 {
				err = fmt.Errorf("edits[%d]: %w; no edit was made", i, err)
			}
			return "", nil, err
		}
		text = text[:c.start] + c.with + text[c.end:]
		levels = append(levels, c.level)
	}
	return text, levels, nil
}
