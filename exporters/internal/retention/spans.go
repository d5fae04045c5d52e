// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Spans removes the session's spans from the OTLP JSON lines of a directory, compressed or
// not, as package exporters/jsonlines writes them: those that name the session, and those of the
// same trace that name no other one, such as a span of an HTTP client within a tool. Files whose
// names end neither with .jsonl nor with .jsonl.gz are passed over.
func (f Forget) Spans(dir string) (Report, error) {
	var total Report
	if f.Session == "" {
		return total, errNoSession
	}
	traces := make(map[string]bool)
	search := func(line []byte) int { eachSpan(line, func(s *span) { f.note(s, traces) }); return 0 }
	remove := func(line []byte) int { return f.blankSpans(line, traces) }
	if err := eachFile(dir, func(path string) error { _, err := edit(path, true, search); return err }); err != nil {
		return total, err
	}
	err := eachFile(dir, func(path string) error {
		n, err := edit(path, f.DryRun, remove)
		if err == nil {
			total.addFile(n)
		}
		return err
	})
	return total, err
}

// eachFile calls do with each file, also with those that came while it did: a file that is
// compressed has another name then.
func eachFile(dir string, do func(path string) error) error {
	done := make(map[string]bool)
	for fresh := true; fresh; {
		fresh = false
		paths, err := spanFiles(dir)
		if err != nil {
			return fmt.Errorf("retention: %w", err)
		}
		for _, path := range paths {
			if done[path] {
				continue
			}
			done[path], fresh = true, true
			if err := do(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func spanFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && !strings.HasPrefix(name, ".") &&
			(strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths, nil
}

// note remembers the trace of a span of the session.
func (f Forget) note(s *span, traces map[string]bool) {
	if its, _ := f.owns(s); its {
		traces[s.TraceID] = true
	}
}

// owns reports whether a span is the session's, or no session's.
func (f Forget) owns(s *span) (its, unowned bool) {
	return Session{ID: f.Session, Tenant: f.Tenant}.Owns(func(yield func(string, string) bool) {
		for _, a := range s.Attributes {
			if !yield(a.Key, a.Value.StringValue) {
				return
			}
		}
	})
}

// blankSpans overwrites the session's spans in a line, and the commas that they leave.
func (f Forget) blankSpans(line []byte, traces map[string]bool) (removed int) {
	var gone [][2]int
	last := 0     // where the last span of the array ended
	kept := false // whether the array has a span that stays
	array := -1
	whole := eachSpan(line, func(s *span) {
		if s.array != array {
			array, last, kept = s.array, s.start, false
		}
		comma := [2]int{last, s.start} // nothing for the first
		last = s.end
		if its, unowned := f.owns(s); its || unowned && traces[s.TraceID] {
			removed++
			gone = append(gone, comma, [2]int{s.start, s.end})
			return
		}
		if !kept {
			gone = append(gone, comma)
		}
		kept = true
	})
	if !whole {
		if !f.inText(line) {
			return 0
		}
		blank(line, "")
		return 1
	}
	if removed == 0 {
		return 0
	}
	for _, g := range gone {
		blank(line[g[0]:g[1]], "")
	}
	return removed
}

// span is what is read of one, and where it stands in its line.
type span struct {
	TraceID    string `json:"traceId"`
	Attributes []struct {
		Key   string
		Value struct{ StringValue string }
	}

	array, start, end int // array: which of the line's arrays of spans
}

// eachSpan calls f with each span of a line, and reports whether the line was read to its
// end.
func eachSpan(line []byte, f func(*span)) bool {
	d := decoder(line)
	arrays := 0
	return innermost(d, []string{"resourceSpans", "scopeSpans", "spans"}, &arrays, func(value jsontext.Value) bool {
		s := new(span)
		if json.Unmarshal(value, s) != nil {
			return false
		}
		s.array = arrays
		s.end = int(d.InputOffset())
		s.start = s.end - len(value)
		f(s)
		return true
	})
}

// innermost reads an object and goes down into its arrays of the names, one in the other, and calls f
// with each element of the innermost ones.
func innermost(d *jsontext.Decoder, names []string, arrays *int, f func(jsontext.Value) bool) bool {
	return eachMember(d, func(name string) bool {
		if name != names[0] || d.PeekKind() != '[' {
			return d.SkipValue() == nil
		}
		if len(names) == 1 {
			*arrays++
		}
		return eachElement(d, func() bool {
			if len(names) > 1 {
				return innermost(d, names[1:], arrays, f)
			}
			value, err := d.ReadValue()
			return err == nil && f(value)
		})
	})
}
