// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"bytes"
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// A trigger is why a person is asked.
type trigger struct{ name, reason, rule, version string }

// needed says whether a person is to be asked of a call, and why.
func (p *Policy) needed(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) (t trigger, needed bool) {
	q, asked := handoff.QuestionOf(ctx)
	if asked && !q.Settled {
		return trigger{"rule", q.Reason, q.Rule, q.Version}, true
	}
	if tool != nil && tool.RequiresApproval {
		return trigger{name: "tool", reason: "the tool asks for approval of each call"}, true
	}
	if tool != nil && tool.Risk == toolkit.RiskHigh && !q.Settled {
		return trigger{name: "risk", reason: "the tool's risk is high"}, true
	}
	if p.options.Sensitive && !q.Settled {
		if word := sensitive(call.Arguments); word != "" {
			return trigger{name: "arguments", reason: fmt.Sprintf("the arguments say %q", word)}, true
		}
	}
	if p.options.Needed != nil {
		if reason, ok := p.hostNeeds(ctx, call, tool); ok {
			return trigger{name: "host", reason: reason}, true
		}
	}
	return trigger{}, false
}

// hostNeeds asks the host; if its function panics a person is asked.
func (p *Policy) hostNeeds(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) (reason string, needed bool) {
	defer func() {
		if recover() != nil {
			reason, needed = "the application's own check panicked", true
		}
	}()
	return p.options.Needed(ctx, call, tool)
}

// sensitiveWords are looked for in names and values of arguments, in any case.
var sensitiveWords = [][]byte{
	[]byte("password"), []byte("secret"), []byte("token"), []byte("key"), []byte("delete"), []byte("drop"), []byte("destroy"),
}

// sensitive is the first word found, "" if none is. Escapes in JSON strings are read
// first.
func sensitive(arguments []byte) string {
	text := bytes.ToLower(unescaped(arguments))
	for _, w := range sensitiveWords {
		if bytes.Contains(text, w) {
			return string(w)
		}
	}
	return ""
}

// unescaped is JSON text with \uXXXX of ASCII characters written out, wherever
// they are: good enough to look for words.
func unescaped(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		var c byte
		if text[i] == '\\' && i+5 < len(text) {
			if _, err := fmt.Sscanf(string(text[i:i+6]), `\u00%02x`, &c); err == nil && c < 0x80 {
				out = append(out, c)
				i += 5
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}
