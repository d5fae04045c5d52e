// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// seesCall reports whether some reader sees a call of a tool in a text: one that reads message behind
// message, compares names without case, takes the first or the last member of a name, and goes on where
// another would not.
func seesCall(text []byte) bool {
	for _, text := range [][]byte{text, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))} {
		d := stdjson.NewDecoder(bytes.NewReader(text))
		for {
			var one stdjson.RawMessage
			if d.Decode(&one) != nil {
				break
			}
			if callWithin(one, 0) {
				return true
			}
		}
	}
	return false
}

// callWithin reports whether a value is a call, or a list that has one.
func callWithin(value stdjson.RawMessage, depth int) bool {
	var list []stdjson.RawMessage
	if stdjson.Unmarshal(value, &list) == nil {
		for _, one := range list {
			if depth < 100 && callWithin(one, depth+1) {
				return true
			}
		}
		return false
	}
	var last struct{ Method string }
	if _ = stdjson.Unmarshal(value, &last); last.Method == wire.MethodCallTool {
		return true
	}
	d := stdjson.NewDecoder(bytes.NewReader(value))
	if token, err := d.Token(); err != nil || token != stdjson.Delim('{') {
		return false
	}
	for d.More() {
		name, err := d.Token()
		var method any
		if err != nil || d.Decode(&method) != nil {
			return false
		}
		if text, _ := name.(string); strings.EqualFold(text, "method") && method == wire.MethodCallTool {
			return true
		}
	}
	return false
}

// What any reader may see a call in is governed or refused: it never passes.
func FuzzUnderstood(f *testing.F) {
	f.Add([]byte(refusable))
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"method":"x"}}` + "\r" + refusable))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"a","result":{}}]`))
	for _, h := range hidden {
		if len(h.body) < 4<<10 {
			f.Add([]byte(h.body))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, refused := wire.ReadStrict(text); refused == "" && m.Method != wire.MethodCallTool && seesCall(text) {
			t.Errorf("HTTP: %q passes", text)
		}
		for line := range bytes.Lines(text) {
			m, refused := wire.ReadStrictLine(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}))
			if refused != "" || m.Method == wire.MethodCallTool {
				continue
			}
			for part := range bytes.SplitSeq(line, []byte{'\r'}) {
				if seesCall(part) {
					t.Errorf("stdio: %q passes", line)
				}
			}
		}
		if id := wire.RefusedID(text); len(id) > wire.MaxID || !id.IsValid() && !id.IsValid(wire.Lenient) {
			t.Errorf("%q: a refusal answers %q", text, id)
		}
	})
}
