// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSkimmerFindsMembers(t *testing.T) {
	text := `{"result":{"content":[{"type":"text","text":"a \"quoted\" \\","id":"no"}],"isError" : true, "x":{"id":4}},"jsonrpc":"2.0","id":"a\"b" }`
	want := map[string]string{"result.isError": "true", "id": `"a\"b"`}
	for size := 1; size <= len(text); size++ {
		s := newSkimmer()
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			s.feed(rest[:n])
			rest = rest[n:]
		}
		if len(s.found) != len(want) || s.found["id"] != want["id"] || s.found["result.isError"] != "true" {
			t.Fatalf("in pieces of %d: got %q, want %q", size, s.found, want)
		}
	}
	s := newSkimmer()
	s.feed([]byte(`{"method":"tools/call","params":{"name":"x","arguments":{"name":"no"},"_meta":{"traceparent":"00-1"}},"id":12`))
	s.feed([]byte("}\n"))
	if m, ok := skimmedMessage(s, 0); !ok || m.Method != methodCallTool || m.key() != "12" || m.params().Name != "x" || m.params().Meta.Get("traceparent") != "00-1" {
		t.Errorf("got %+v", s.found)
	}
}

// FuzzSkimmer: of valid JSON the skimmer finds what a decoder finds; of anything else it
// ends, in memory that does not grow.
func FuzzSkimmer(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"x","error":{"code":-5,"message":"m"}}`), uint8(3))
	f.Add([]byte(`[{"id":1}]`), uint8(1))
	f.Add([]byte(`{"id":"`+strings.Repeat(`\n`, 50)+`"}`), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		s := newSkimmer()
		for rest := text; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			s.feed(rest[:n])
			rest = rest[n:]
		}
		s.feed([]byte{'\n'})
		if len(s.found) > len(wanted) || cap(s.text) > 4*skimBytes {
			t.Fatalf("got %d members and %d bytes", len(s.found), cap(s.text))
		}
		var m map[string]json.RawMessage
		if !json.Valid(text) || bytes.Contains(text, []byte(`\u`)) || json.Unmarshal(text, &m) != nil {
			return
		}
		id := string(bytes.TrimSpace(m["id"]))
		if len(id) > 0 && len(id) < skimBytes && id[0] != '{' && id[0] != '[' && strings.Count(string(text), `"id"`) == 1 && s.found["id"] != id {
			t.Errorf("got id %q, want %q", s.found["id"], id)
		}
	})
}
