// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// minFit leaves room for the mark.
const minFit = 512

// TruncateOptions say how much text of a result the model gets. The zero value is 64 KiB for every tool.
type TruncateOptions struct {
	// Limit is the most bytes of text, the mark included; 0 is 64 KiB, below 0 is no limit.
	Limit int `yaml:"limit" unit:"bytes" doc:"Most bytes of text, the mark included; default 64KiB, below 0 no limit."`
	// Tools are the limits of single tools by name, with the same values as Limit.
	Tools map[string]int `yaml:"tools" unit:"bytes" doc:"Limits of single tools."`
	// Hints say how the model gets the rest of a tool's result, by name. The default is to ask for a smaller
	// part.
	Hints map[string]string `yaml:"hints" doc:"How the model gets the rest of a tool's result."`
}

// Truncate cuts the text of results to what a model can use: two thirds from the head and one
// third from the tail, between whole characters, with a mark between them that
// says how much is missing and how to get it. A result that is a JSON object or list
// stays valid JSON: its long strings are shortened first, then its end is left out. Each text
// part has the limit for itself; structured content, images, audio and suspended results are
// left alone. The call records "truncate" with "cut", and truncate.bytes, how many were left out. Limits of 1
// to 511 are an error.
func Truncate(o TruncateOptions) (Policy, error) {
	if o.Limit == 0 {
		o.Limit = 64 << 10
	}
	limits := map[string]int{"Limit": o.Limit}
	for name, limit := range o.Tools {
		limits["Tools["+strconv.Quote(name)+"]"] = limit
	}
	for field, limit := range limits {
		if limit > 0 && limit < minFit {
			return nil, fmt.Errorf("middleware: Truncate: %s: got %d bytes, want at least %d, or below 0 for no limit", field,
				limit, minFit)
		}
	}
	off, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		return nil, err
	}
	f := &fitter{o, off}
	return At(StageTruncate, f.wrap), nil
}

type fitter struct {
	options TruncateOptions
	json    *redact.Redactor // removes nothing: it cuts JSON so that it stays valid
}

func (f *fitter) wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		res, err := next(ctx, call)
		limit := f.options.Limit
		if own, ok := f.options.Tools[call.Name]; ok && own != 0 {
			limit = own
		}
		if limit < 0 || res.Suspended {
			return res, err
		}
		missing := len(res.Output)
		res.Output = f.cut(res.Output, limit, call.Name)
		missing -= len(res.Output)
		shared := true // the parts are the tool's: they are copied before one is changed
		for i, p := range res.Parts {
			if p.Kind != toolkit.PartText || len(p.Text) <= limit {
				continue
			}
			if shared {
				res.Parts, shared = slices.Clone(res.Parts), false
			}
			res.Parts[i].Text = f.cut(p.Text, limit, call.Name)
			missing += len(p.Text) - len(res.Parts[i].Text)
		}
		if missing > 0 {
			call.Record.Tag("truncate", "cut")
			call.Record.Tag("truncate.bytes", strconv.Itoa(missing))
		}
		return res, err
	}
}

// cut is text of at most limit bytes.
func (f *fitter) cut(text string, limit int, tool string) string {
	if len(text) <= limit {
		return text
	}
	if doc := bytes.TrimSpace([]byte(text)); len(doc) > 0 && (doc[0] == '{' || doc[0] == '[') && json.Valid(doc) {
		out, _ := f.json.JSONMax(doc, limit)
		return string(out)
	}
	hint := f.options.Hints[tool]
	if hint == "" {
		hint = "ask for a smaller part to see the rest"
	}
	// The mark is measured with the largest number it can hold.
	mark := func(missing int) string {
		return fmt.Sprintf("\n[... %d of %d bytes left out: %s ...]\n", missing, len(text), hint)
	}
	room := max(0, limit-len(mark(len(text))))
	head, tail := text[:room-room/3], text[len(text)-room/3:]
	for len(head) > 0 && !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + mark(len(text)-len(head)-len(tail)) + tail
}
