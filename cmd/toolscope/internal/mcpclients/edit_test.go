// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
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
			wrapped, err := Wrap([]byte(text), "files", "", proxy)
			if err != nil {
				t.Fatal(err)
			}
			before, after := readEntry(t, text), readEntry(t, string(wrapped))
			want := append(append([]string{}, proxy[1:]...), "--", before.Command)
			if before.Args == nil {
				want = slices.Insert(want, len(want)-2, bare)
			}
			if want = append(want, before.Args...); after.Command != proxy[0] || !slices.Equal(after.Args, want) {
				t.Errorf("got %+v, want %q", after, want)
			}
			if _, err := Wrap(wrapped, "files", "", proxy); err == nil || !strings.Contains(err.Error(), "already") {
				t.Errorf("twice: got %v", err)
			}
			list, err := Servers(wrapped)
			if err != nil || list[0].Name != "files" || !list[0].Wrapped || list[0].Command[0] != before.Command {
				t.Errorf("got %+v, %v", list, err)
			}
			back, err := Unwrap(wrapped, "files", "")
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

func readEntry(t *testing.T, text string) serverEntry {
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
		`{"mcpServers":{"files":{"type":"sse","url":"https://x/"}}}`: "streamable HTTP",
		`{"mcpServers":{"files":{"command":5}}}`:                     "command",
		`{"mcpServers":{"files":{"command":"x","args":"y"}}}`:        "args",
		`{"mcpServers":{"files":{"command":"x","args":null}}}`:       "args",
		`{"mcpServers":{"files":{"command":"x","args":[1]}}}`:        "args",
		`{"mcpServers":{"files":{"command":"x","command":"y"}}}`:     "each name once",
		`[1]`:                       "JSON object",
		``:                          "JSON object",
		`{"mcpServers": /* `:        "JSON object",
		strings.Repeat(" ", 17<<20): "at most",
		strings.Repeat("[", 1<<20):  "at most",
		strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000): "JSON object",
	} {
		if _, err := Wrap([]byte(text), "files", "", proxy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
		if _, err := Unwrap([]byte(text), "files", ""); err == nil {
			t.Errorf("%.60s: unwrapped", text)
		}
	}
	if _, err := Wrap([]byte(`{}`), "files", "", proxy); !errors.Is(err, ErrNoServer) {
		t.Errorf("got %v, want ErrNoServer", err)
	}
	if _, err := Unwrap([]byte(files["Claude Desktop"]), "files", ""); err == nil ||
		!strings.Contains(err.Error(), "not wrapped") {
		t.Errorf("got %v", err)
	}
}

func TestFilesAreAbsolute(t *testing.T) {
	for _, f := range Files() {
		if f.Client == "" || !strings.Contains(".json .jsonc .toml", filepath.Ext(f.Path)) || !filepath.IsAbs(f.Path) {
			t.Errorf("got %+v", f)
		}
	}
}

// FuzzWrap: whatever can be wrapped can be unwrapped to the very same bytes.
func FuzzWrap(f *testing.F) {
	for _, text := range files {
		f.Add([]byte(text))
	}
	for _, text := range formats {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		wrapped, err := Wrap(text, "files", "", proxy)
		if err != nil {
			return
		}
		back, err := Unwrap(wrapped, "files", "")
		if err != nil || !bytes.Equal(back, text) {
			t.Errorf("got %v and %q, want %q", err, back, text)
		}
	})
}

// formats are the files of further clients; each has a server "files" whose command is npx -y server, and "web" with a URL.
var formats = map[string]string{
	"Claude Code, of a project": `{"projects": {"/home/ada/app": {"mcpServers": {"files": {"type": "stdio", "command": "npx", "args": ["-y", "server"]},
		"web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer x"}, "disabled": true}}}}, "n": 1}`,
	"VS Code settings": "{\n\t// mine\n\t\"editor.tabSize\": 2,\n\t\"mcp\": {\"servers\": {\"files\": {\"command\": " +
		"\"npx\", \"args\": [\"-y\", \"server\"]},\n" +
		"\t\t\"web\": {\"url\": \"https://example.com/mcp\" /* ours */}}, \"gallery\": true},\n}",
	"Zed": `{"context_servers": {"files": {"source": "custom", "command": "npx", "args": ["-y", "server"]}, ` +
		`"web": {"url": "https://example.com/mcp"}}}`,
	"Zed, older": `{"context_servers": {"files": {"command": {"path": "npx", "args": ["-y", "server"]}, "settings": ` +
		`{}}, "web": {"url": "https://example.com/mcp"}}}`,
	"opencode": "{\"mcp\": {\"timeout\": 5, \"files\": {\"type\": \"local\", \"command\": [\n  \"npx\", \"-y\",\n  " +
		"\"server\",\n], \"enabled\": true},\n" +
		"\"web\": {\"type\": \"remote\", \"url\": \"https://example.com/mcp\", \"enabled\": false, \"headers\": {\"A\": \"b\"}}}}",
	"Gemini CLI": `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server"]}, "web": {"httpUrl": ` +
		`"https://example.com/mcp"}}}`,
	"Windsurf": `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server"]}, "web": {"serverUrl": ` +
		`"https://example.com/mcp"}}}`,
	"Codex, a url": "[mcp_servers.files]\r\ncommand = 'npx'\r\nargs = ['-y', " +
		"'server']\r\n[mcp_servers.web]\r\nstartup_timeout_sec = 5\r\n" +
		"url   =  'https://example.com/mcp' # mine\r\nenabled = true\r\n[tui]\r\nurl = 3\r\n",
	"Codex, inline": "\n[mcp_servers]\nfiles = { command = 'npx', args = ['-y', 'server'] } # mine\n" +
		"web = {enabled = true, \"url\" = \"https://example.com/mcp\", startup_timeout_sec = 5 }\n",
	"Codex, one line": "mcp_servers = {files = {args = ['-y', 'server'], command = 'npx'}, web = {url='https://example.com/mcp'}}\n",
	"Codex": "# mine\nmodel = \"o5\"\n\n[mcp_servers.files]\ncommand = 'npx' # a program\nargs = [\n  \"-y\", # " +
		"yes\n  'server',\n]\n\n" +
		"[mcp_servers.files.env]\nA = \"1\"\n\n[mcp_servers.bare]\ncommand = \"server\"\nstartup_timeout_sec = " +
		"5\n\n[tui]\ncommand = 3\n",
}

func TestFormats(t *testing.T) {
	for name, text := range formats {
		t.Run(name, func(t *testing.T) {
			list, err := Servers([]byte(text))
			if err != nil || len(list) != 2 || list[0].Name != "files" || !slices.Equal(list[0].Command, []string{"npx", "-y", "server"}) {
				t.Fatalf("got %+v, %v", list, err)
			}
			now := []byte(text)
			for _, s := range list {
				if now, err = Wrap(now, s.Name, s.Project, proxy); err != nil {
					t.Fatal(err)
				}
			}
			wrapped, err := Servers(now)
			if err != nil || len(wrapped) != 2 {
				t.Fatalf("got %+v, %v in\n%s", wrapped, err, now)
			}
			for i, s := range wrapped {
				if !s.Wrapped || s.Name != list[i].Name || s.URL != list[i].URL || !slices.Equal(s.Command, list[i].Command) {
					t.Errorf("got %+v, want %+v wrapped, in\n%s", s, list[i], now)
				}
			}
			for _, s := range wrapped {
				if now, err = Unwrap(now, s.Name, s.Project); err != nil {
					t.Fatal(err)
				}
			}
			if string(now) != text {
				t.Errorf("got\n%s\nwant\n%s", now, text)
			}
		})
	}
}

func TestServersOfSeveralProjects(t *testing.T) {
	text := []byte(`{"mcpServers": {"a": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"files": {"command": "x"}}},
		"/q": {"mcpServers": {"files": {"command": "x"}}}}}`)
	if _, err := Wrap(text, "files", "", proxy); err == nil || !strings.Contains(err.Error(), "--project") {
		t.Errorf("got %v", err)
	}
	out, err := Wrap(text, "files", "/q", proxy)
	if err != nil || bytes.Count(out, []byte("--name")) != 1 || bytes.Index(out, []byte("--name")) < bytes.Index(out, []byte("/q")) {
		t.Errorf("got %s, %v", out, err)
	}
}

// A server for all projects and one of a project may have the same name.
func TestSameNameInTwoScopes(t *testing.T) {
	text := []byte(`{"mcpServers": {"files": {"command": "x"}}, "projects": {"/p": {"mcpServers": {"files": {"command": "y"}}}}}`)
	now := text
	for _, project := range []string{"", "/p"} {
		out, err := Wrap(now, "files", project, proxy)
		if err != nil {
			t.Fatalf("%q: %v", project, err)
		}
		now = out
	}
	list, err := Servers(now)
	if err != nil || len(list) != 2 || !list[0].Wrapped || !list[1].Wrapped || list[0].Command[0] != "x" ||
		list[1].Command[0] != "y" {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, project := range []string{"/p", ""} {
		if now, err = Unwrap(now, "files", project); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(now, text) {
		t.Errorf("got %s", now)
	}
}

// What cannot be wrapped is listed, with a reason.
func TestServersWithAProblem(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp_servers.files]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"T\"\n":                "Codex",
		"[mcp_servers.files]\nurl = \"https://example.com/mcp\"\n[mcp_servers.files.http_headers]\nA = \"b\"\n": "Codex",
		"[mcp_servers]\nfiles = {url = \"https://u:p@example.com/mcp\"}\n":                                      "plain one",
		"mcp_servers.files.command = \"x\"\n":                                                                   "dotted names",
		`{"mcpServers":{"files":{"url":"https://u:p@example.com/mcp"}}}`:                                        "plain one",
		`{"mcpServers":{"files":{"url":"https://example.com/mcp?k=v"}}}`:                                        "plain one",
	} {
		list, err := Servers([]byte(text))
		if err != nil || len(list) != 1 || list[0].Name != "files" || !strings.Contains(list[0].Problem, want) {
			t.Errorf("%s: got %+v, %v, want %q", text, list, err, want)
		}
	}
	for text, want := range map[string]string{
		"[mcp_servers.files]\ncommand = x\n": "line 2", "model = 1\nmcp_servers = 2\n": "TOML",
		"[mcp_servers.a]\nb = 1\n[mcp_servers.a]\n": "TOML",
	} {
		if _, err := Servers([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if list, err := Servers([]byte("model = 1\n")); err != nil || len(list) != 0 {
		t.Errorf("got %+v, %v, want a file without servers", list, err)
	}
}
