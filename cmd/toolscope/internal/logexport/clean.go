// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"encoding/json"
	"strings"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/redact"
)

// A Cleaner redacts calls, and makes of their texts valid UTF-8.
type Cleaner struct {
	redactors []*redact.Redactor
	// NoContent leaves arguments and results out altogether.
	NoContent bool
}

// NewCleaner is the default redactor followed by the others: each sees what the ones
// before it left, so that none can bring anything back.
func NewCleaner(others ...*redact.Redactor) *Cleaner {
	return &Cleaner{redactors: append([]*redact.Redactor{redact.Default()}, others...)}
}

func (c *Cleaner) clean(x *calllog.Call) {
	name := x.Tool // rules are for the name that the log has
	for _, s := range []*string{&x.Tool, &x.Error, &x.Session, &x.Agent, &x.ID} {
		*s = c.text(name, *s)
	}
	if c.NoContent {
		x.Arguments, x.Result, x.Intent = nil, nil, ""
		return
	}
	x.Intent = c.text(name, x.Intent)
	x.Arguments, x.Result = c.json(name, x.Arguments), c.json(name, x.Result)
}

func (c *Cleaner) text(tool, s string) string {
	if s == "" {
		return ""
	}
	for _, r := range c.redactors {
		s, _ = r.ForTool(tool).Text(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// json is a value redacted; what is no JSON any more becomes a string.
func (c *Cleaner) json(tool string, value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	text := []byte(strings.ToValidUTF8(string(value), "\uFFFD"))
	for _, r := range c.redactors {
		text, _ = r.ForTool(tool).JSON(text)
	}
	if !json.Valid(text) {
		text, _ = json.Marshal(string(text)) // a string always encodes
	}
	return text
}
