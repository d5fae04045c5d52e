// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

var proxy = []string{"/usr/local/bin/toolscope", "mcp", "--name", `odd "name"`}

// files are configurations as people write them; each has a server "files".
var files = map[string]string{
	"Claude Desktop": "{\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\n  " +
		"      \"-y\",\n        \"@modelcontextprotocol/server-filesystem\",\n        \"/tmp\"\n      ],\n      " +
		"\"env\": {\"A\": \"1\"}\n    },\n    \"web\": {\"url\": \"https://example.com/mcp\"}\n  },\n  " +
		"\"theme\": \"dark\"\n}\n",
	"VS Code": "{\r\n\t// the servers\r\n\t\"servers\": {\r\n\t\t\"files\": { /* \"command\": \"no\" */ " +
		"\"type\": \"stdio\", \"args\": [ ], \"command\": \"uvx\", },\r\n\t},\r\n}",
	"no arguments":    `{"mcpServers":{"files":{"command":"server"}}}`,
	"arguments first": `{"mcpServers":{"files":{"args":["a"],"command":"server"}}}`,
	"escapes":         `{"mcpServers":{"files":{"command":"C:\\Program Files\\\u0041.exe","args":["\u00e9", "--", "x"]}}}`,
	"byte order mark": "\xef\xbb\xbf" + `{"mcpServers":{"files":{"command":"server","args":["a",]}}}`,
}

func TestUnwrapGivesBackWhatWrapWasGiven(t *testing.T) {
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			wrapped, err := Wrap([]byte(text), "files", proxy)
			if err != nil {
				t.Fatal(err)
			}
			before, after := entry(t, text), entry(t, string(wrapped))
			want := append(append([]string{}, proxy[1:]...), "--", before.Command)
			if before.Args == nil {
				want = slices.Insert(want, len(want)-2, bare)
			}
			if want = append(want, before.Args...); after.Command != proxy[0] || !slices.Equal(after.Args, want) {
				t.Errorf("got %+v, want %q", after, want)
			}
			if _, err := Wrap(wrapped, "files", proxy); err == nil || !strings.Contains(err.Error(), "already") {
				t.Errorf("twice: got %v", err)
			}
			names, done, err := Names(wrapped)
			if err != nil || !slices.Equal(names, []string{"files"}) || !slices.Equal(done, names) {
				t.Errorf("got names %q and %q, %v", names, done, err)
			}
			back, err := Unwrap(wrapped, "files")
			if err != nil || string(back) != text {
				t.Errorf("got %v and\n%s\nwant\n%s", err, back, text)
			}
		})
	}
}

type serverEntry struct {
	Command string
	Args    []string
}

func entry(t *testing.T, text string) serverEntry {
	t.Helper()
	var file struct{ MCPServers, Servers map[string]serverEntry }
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(text, "\xef\xbb\xbf")))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(plain, &file); err != nil {
		t.Fatal(err)
	}
	if file.Servers != nil {
		return file.Servers["files"]
	}
	return file.MCPServers["files"]
}

func TestWrapRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":{}}`: "no server of that name",
		`{}`:                "no server of that name",
		`{"mcpServers":{"files":{"url":"https://x/"}}}`:          "toolscope mcp --target",
		`{"mcpServers":{"files":{"command":5}}}`:                 "command",
		`{"mcpServers":{"files":{"command":"x","args":"y"}}}`:    "args",
		`{"mcpServers":{"files":{"command":"x","args":null}}}`:   "args",
		`{"mcpServers":{"files":{"command":"x","args":[1]}}}`:    "args",
		`{"mcpServers":{"files":{"command":"x","command":"y"}}}`: "each name once",
		`[1]`:                       "JSON object",
		``:                          "JSON object",
		`{"mcpServers": /* `:        "JSON object",
		strings.Repeat(" ", 17<<20): "at most",
		strings.Repeat("[", 1<<20):  "at most",
		strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000): "JSON object",
	} {
		if _, err := Wrap([]byte(text), "files", proxy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
		if _, err := Unwrap([]byte(text), "files"); err == nil {
			t.Errorf("%.60s: unwrapped", text)
		}
	}
	if _, err := Wrap([]byte(`{}`), "files", proxy); !errors.Is(err, ErrNoServer) {
		t.Errorf("got %v, want ErrNoServer", err)
	}
	if _, err := Unwrap([]byte(files["Claude Desktop"]), "files"); err == nil ||
		!strings.Contains(err.Error(), "not wrapped") {
		t.Errorf("got %v", err)
	}
}

func TestFilesAreAbsolute(t *testing.T) {
	for _, f := range Files() {
		if f.Client == "" || !strings.HasSuffix(f.Path, ".json") {
			t.Errorf("got %+v", f)
		}
	}
}

// FuzzWrap: whatever can be wrapped can be unwrapped to the very same bytes.
func FuzzWrap(f *testing.F) {
	for _, text := range files {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		wrapped, err := Wrap(text, "files", proxy)
		if err != nil {
			return
		}
		back, err := Unwrap(wrapped, "files")
		if err != nil || !bytes.Equal(back, text) {
			t.Errorf("got %v and %q, want %q", err, back, text)
		}
	})
}
