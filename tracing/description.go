// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import "sync/atomic"

// description is the description of a tool as its spans carry it. Definitions are fixed, so it is redacted once
// for each definition: a tool of the same name that takes its place has another text.
type description struct{ last atomic.Pointer[redactedText] }

type redactedText struct{ raw, clean string }

// forTool is the description raw, redacted and truncated. Safe for concurrent use.
func (d *description) forTool(o *Observer, raw string) string {
	if last := d.last.Load(); last != nil && last.raw == raw {
		return last.clean
	}
	made := &redactedText{raw, o.text(raw, o.limits.Error)}
	d.last.Store(made)
	return made.clean
}
