// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"bytes"
	"testing"
)

// Whatever a line is: what stays of it are its other bytes, and what goes is gone.
func FuzzForget(f *testing.F) {
	f.Add([]byte(`{"tool":"read","session":"a","about":[{"session":"b"}]}`))
	f.Add([]byte(`{"session":"a","tool":"torn`))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","attributes":[{"key":"session.id",` +
		`"value":{"stringValue":"a"}}]},{"traceId":"1"},{"traceId":"2"}]}]}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		forget := Forget{Session: "a"}
		for kind, change := range map[string]func([]byte) int{
			"line": func(line []byte) int {
				if !forget.names(line) {
					return 0
				}
				blank(line, "")
				return 1
			},
			"spans": func(line []byte) int {
				traces := make(map[string]bool)
				eachSpan(line, func(s *span) { forget.note(s, traces) })
				return forget.blankSpans(line, traces)
			},
		} {
			out := append([]byte(nil), in...)
			removed := change(out)
			for i := range out {
				if out[i] != in[i] && out[i] != ' ' {
					t.Fatalf("%s: byte %d: got %q, want %q or a space", kind, i, out[i], in[i])
				}
			}
			if removed == 0 && string(out) != string(in) {
				t.Fatalf("%s: nothing was removed, and the line changed", kind)
			}
			if again := change(out); again != 0 {
				t.Fatalf("%s: got %d removed a second time from %q, which was %q", kind, again, out, in)
			}
			// What was JSON stays JSON, or is gone altogether.
			if kind == "spans" && decoder(in).SkipValue() == nil && decoder(out).SkipValue() != nil &&
				len(bytes.TrimSpace(out)) > 0 {
				t.Fatalf("%q became %q, which is no JSON", in, out)
			}
		}
	})
}
