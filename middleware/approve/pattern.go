// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Pattern approves calls before they are made. It is checked before an asker is called.
type Pattern struct {
	// Tool is a tool's name, with * and ? as in [path.Match]; "" matches none.
	Tool string `yaml:"tool" name:"tool" doc:"The tool's name, with * and ?."`
	// Arguments are what the call's arguments must say, by JSON Pointer (RFC 6901): the
	// whole value of a string, or a number's, true's, false's or null's JSON text, with
	// * and ? as in [path.Match] (a * does not cross a slash). All must hold;
	// arguments not named may be anything.
	Arguments map[string]string `yaml:"arguments" keys:"any" doc:"What arguments must say, by JSON Pointer, with * and ?."`
	// Approver is who approved; it is recorded with each call.
	Approver string `yaml:"approver" doc:"Who approved."`
	// Expires ends the pattern; the zero time is never.
	Expires time.Time `yaml:"expires" doc:"When the pattern ends, in RFC 3339: 2026-12-31T00:00:00Z; default never."`
}

// check says what is wrong with a pattern.
func (p *Pattern) check() error {
	if p.Tool == "" {
		return fmt.Errorf("field Tool: got %q, want a tool's name, or * for all", p.Tool)
	}
	if p.Approver == "" {
		return fmt.Errorf("field Approver: got %q, want who approved", p.Approver)
	}
	if _, err := path.Match(p.Tool, ""); err != nil {
		return fmt.Errorf("field Tool: got %q, want a pattern of path.Match: %w", p.Tool, err)
	}
	for at, want := range p.Arguments {
		if at != "" && at[0] != '/' {
			return fmt.Errorf("field Arguments: got %q, want a JSON Pointer such as /path", at)
		}
		if _, err := path.Match(want, ""); err != nil {
			return fmt.Errorf("field Arguments[%s]: got %q, want a pattern of path.Match: %w", at, want, err)
		}
	}
	return nil
}

// matches reports whether the pattern approves a call. Arguments that two readers
// would read differently match no constraint.
func (p *Pattern) matches(tool string, arguments json.RawMessage, now time.Time) bool {
	if !p.Expires.IsZero() && !now.Before(p.Expires) {
		return false
	}
	if ok, err := path.Match(p.Tool, tool); err != nil || !ok {
		return false
	}
	if len(p.Arguments) == 0 {
		return true
	}
	if !jsontext.Value(arguments).IsValid() {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return false
	}
	for at, want := range p.Arguments {
		got, ok := scalar(value, at)
		if !ok {
			return false
		}
		if ok, err := path.Match(want, got); err != nil || !ok {
			return false
		}
	}
	return true
}

// spellings is how many members a decoder for which case does not count, as Go's, would take for
// the one of that name: of two the tool may get the other.
func spellings(object map[string]any, name string) (n int) {
	for other := range object {
		if strings.EqualFold(other, name) {
			n++
		}
	}
	return n
}

// scalar is the value at a JSON Pointer as text; false if there is none, or it is
// an object or a list.
func scalar(value any, at string) (string, bool) {
	for at != "" {
		name, rest, more := strings.Cut(at[1:], "/")
		if at = ""; more {
			at = "/" + rest
		}
		switch v := value.(type) {
		case map[string]any:
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			inner, ok := v[name]
			if !ok || spellings(v, name) > 1 {
				return "", false
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != name {
				return "", false
			}
			value = v[i]
		default:
			return "", false
		}
	}
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case nil:
		return "null", true
	}
	return "", false
}
