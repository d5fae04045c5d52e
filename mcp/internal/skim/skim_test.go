// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package skim

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSkimmerFindsMembers(t *testing.T) {
	text := `{"result":{"content":[{"type":"text","text":"a \"quoted\" \\","id":"no"}],"isError" : true, "x":{` +
		`"id":4}},"jsonrpc":"2.0","id":"a\"b" }`
	want := map[string]string{"result.isError": "true", "id": `"a\"b"`}
	for size := 1; size <= len(text); size++ {
		s := new(Skimmer)
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			s.Feed(rest[:n])
			rest = rest[n:]
		}
		if len(s.Found) != len(want) || s.Found["id"] != want["id"] || s.Found["result.isError"] != "true" {
			t.Fatalf("in pieces of %d: got %q, want %q", size, s.Found, want)
		}
	}
}

// FuzzSkimmer: of valid JSON the skimmer finds what a decoder finds; of anything else it
// ends, in memory that does not grow.
func FuzzSkimmer(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"x","error":{"code":-5,"message":"m"}}`), uint8(3))
	f.Add([]byte(`[{"id":1}]`), uint8(1))
	f.Add([]byte(`{"id":"`+strings.Repeat(`\n`, 50)+`"}`), uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		s := new(Skimmer)
		for rest := text; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			s.Feed(rest[:n])
			rest = rest[n:]
		}
		s.Feed([]byte{'\n'})
		if len(s.Found) > len(wanted) || cap(s.text) > 4*skimBytes {
			t.Fatalf("got %d members and %d bytes", len(s.Found), cap(s.text))
		}
		var m map[string]json.RawMessage
		if !json.Valid(text) || bytes.Contains(text, []byte(`\u`)) || json.Unmarshal(text, &m) != nil {
			return
		}
		id := string(bytes.TrimSpace(m["id"]))
		if len(id) > 0 && len(id) < skimBytes && id[0] != '{' && id[0] != '[' && strings.Count(string(text), `"id"`) == 1 &&
			s.Found["id"] != id {
			t.Errorf("got id %q, want %q", s.Found["id"], id)
		}
	})
}
