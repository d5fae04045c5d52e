// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/mcp/manager"
)

// lookup finds a few variables.
func lookup(name string) (string, bool) {
	v, ok := map[string]string{"HOME": "/home/ada", "KEY": "swordfish-${HOME}", "EMPTY": ""}[name]
	return v, ok
}

func TestParseConfig(t *testing.T) {
	c, err := manager.ParseConfig([]byte("\ufeff"+`{
		"inputs": [],
		"mcpServers": {
			"files": {"command": "${HOME}/bin/files", "args": ["--key=${KEY}", "$5 $$ {x}", `+
		`"${NONE:-a:-b}${EMPTY:-c}${EMPTY}"], "env": {"A": "${KEY}"},
				"cwd": "${HOME}", "priority": -3, "category": "files", "autoApprove": ["read"], "requestTimeout": `+
		`"90s", "startTimeout": "1m", "inheritEnv": true,
				"sandbox": {"networkAccess": true, "fileSystemAccess": "readwrite", "allowedPaths": ["${HOME}/work"]}},
			"web": {"type": "streamable-http", "url": "https://example.com/${NONE:-mcp}", "headers": `+
		`{"Authorization": "Bearer ${KEY}"}, "protocolVersion": "2025-11-25"},
			"old": {"transport": "sse", "url": "http://localhost:1/sse", "enabled": true},
			"off": {"command": "${NOT_SET}", "disabled": true},
			"off too": {"url": "http://${NOT_SET}", "enabled": false}
		}}`), lookup)
	if err != nil {
		t.Fatal(err)
	}
	want := &manager.Config{
		Servers: []manager.Server{
			{
				Name: "files", Command: "/home/ada/bin/files",
				Args: []string{"--key=swordfish-${HOME}", "$5 $$ {x}", "a:-bc"}, Env: map[string]string{"A": "swordfish-${HOME}"},
				Dir: "/home/ada", Priority: -3, Category: "files", InheritEnv: true, RequestTimeout: 90 * time.Second,
				StartTimeout: time.Minute,
				Sandbox:      &manager.Sandbox{Network: true, Files: "readwrite", Paths: []string{"/home/ada/work"}},
			},
			{Name: "web", URL: "https://example.com/mcp",
				Headers: map[string]string{"Authorization": "Bearer swordfish-${HOME}"}, ProtocolVersion: "2025-11-25"},
			{Name: "old", URL: "http://localhost:1/sse", SSE: true},
			{Name: "off", Command: "${NOT_SET}", Disabled: true},
			{Name: "off too", URL: "http://${NOT_SET}", Disabled: true},
		},
		Unknown: []string{"inputs", "mcpServers.files.autoApprove"},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %#v\nwant %#v", c, want)
		for i := range c.Servers {
			if !reflect.DeepEqual(c.Servers[i], want.Servers[i]) {
				t.Errorf("%d: they differ", i)
			}
		}
	}
}

func TestParseConfigTellsTheField(t *testing.T) {
	secret := strings.Repeat("hush", 4)
	server := func(fields string) string { return `{"mcpServers": {"a": {` + fields + `}}}` }
	for _, c := range []struct{ text, want string }{
		{``, "got invalid or incomplete JSON"},
		{`{"mcpServers": {`, "mcpServers: got invalid"},
		{`[]`, "got JSON that is no object"},
		{`{}`, "mcpServers: got none"},
		{`{"mcpServers": []}`, "mcpServers: got JSON that is no object"},
		{`{"mcpServers": {}} {}`, "got text after the object"},
		{`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`, "got a name twice"},
		{server(`"command": 5`), "mcpServers.a.command: got a JSON number, want a string"},
		{server(`"args": "` + secret + `"`), "mcpServers.a.args: got a JSON string, want an array of strings"},
		{server(`"env": {"K": 5}`), "mcpServers.a.env: got a JSON number, want an object of strings"},
		{server(`"disabled": "no"`), "mcpServers.a.disabled: got a JSON string, want true or false"},
		{server(`"priority": 1.5`), "mcpServers.a.priority: got a JSON number, want a whole number"},
		{server(`"requestTimeout": "` + secret + `"`), `mcpServers.a.requestTimeout: got a string that is no duration`},
		{server(`"requestTimeout": 30`), `mcpServers.a.requestTimeout: got no string, want a duration`},
		{server(`"command": "x", "env": {"K": "${NOT_SET}"}`), "mcpServers.a.env.K: got ${NOT_SET}, which is not set"},
		{server(`"command": "x", "args": ["y", "${"]`), `mcpServers.a.args[1]: got "${" without "}"`},
		{server(`"command": "x", "args": ["${env:KEY}"]`), `mcpServers.a.args[0]: got the variable "env:KEY"`},
		{server(``), "mcpServers.a.command: got neither command nor url"},
		{server(`"command": "x", "url": "http://b"`), "mcpServers.a.command: got url as well"},
		{server(`"command": "x", "disabled": true, "enabled": true`), "mcpServers.a.enabled: got the opposite"},
		{server(`"type": "http", "command": "x"`), `mcpServers.a.type: got "http" without a url`},
		{server(`"type": "stdio", "url": "http://b"`), `mcpServers.a.type: got "stdio" without a command`},
		{server(`"type": "carrier pigeon", "url": "http://b"`), `mcpServers.a.type: got "carrier pigeon"`},
		{server(`"type": "websocket", "url": "ws://b"`), "WebSocket is no transport of the protocol"},
		{server(`"url": "wss://b"`), "WebSocket is no transport of the protocol"},
		{server(`"url": "ftp://b"`), `URL: got the scheme "ftp"`},
		{server(`"url": "` + secret + `"`), "URL: got text that is none"},
		{server(`"url": "http://b", "headers": {"Mcp-Session-Id": "x"}`), `Headers: got the header "Mcp-Session-Id"`},
		{server(`"url": "http://b", "headers": {"A b": "x"}`), `Headers: got the header "A b"`},
		{server(`"url": "http://b", "headers": {"A": "x\ny"}`), `Headers: got the header "A"`},
		{server(`"url": "http://b", "cwd": "/"`), `without a Command, want none`},
		{server(`"command": "x", "headers": {"A": "b"}`), `without a URL, want none`},
		{server(`"command": "x", "env": {"A=B": "c"}`), `Env: got the variable "A=B"`},
		{server(`"command": "x", "sandbox": {"filesystemAccess": "none"}`),
			"mcpServers.a.sandbox.filesystemAccess: got a field that is not known"},
		{server(`"command": "x", "sandbox": {"fileSystemAccess": "all"}`), `Sandbox.Files: got "all"`},
		{server(`"command": "x", "sandbox": {"networkAccess": "yes"}`), "mcpServers.a.sandbox.networkAccess: got a JSON string"},
		{server(`"command": "x", "sandbox": {"allowedPaths": ["work"]}`), "Sandbox.Paths[0]: got a path that is not absolute"},
		{server(`"command": "x", "sandbox": []`), "mcpServers.a.sandbox: got JSON that is no object"},
		{server(`"url": "http://x", "sandbox": {}`), "without a Command"},
		{server(`"command": "x", "protocolVersion": "1"`), `ProtocolVersion: got "1"`},
		{`{"mcpServers": {" ": {"command": "x"}}}`, "Name: got"},
		{"{\"mcpServers\": {\"a\x00\": {}}}", "got invalid"},
		{`{"mcpServers": ` + strings.Repeat(`{"a":`, 20_000), "got invalid"},
		{strings.Repeat(" ", 5<<20), "got more than 4194304 bytes"},
	} {
		_, err := manager.ParseConfig([]byte(c.text), lookup)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\ngot  %v\nwant %s", c.text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%.80s: the error repeats the value: %v", c.text, err)
		}
	}
}

func TestReadConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if _, err := manager.ReadConfig(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want an error for a file that is not there", err)
	}
	t.Setenv("MANAGER_TEST", "x")
	if err := os.WriteFile(path, []byte(`{"mcpServers":{"a":{"command":"${MANAGER_TEST}"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, odd := range []string{t.TempDir(), os.DevNull} {
		if _, err := manager.ReadConfig(odd); err == nil || !strings.Contains(err.Error(), "want a regular file") {
			t.Errorf("%s: got %v", odd, err)
		}
	}
	c, err := manager.ReadConfig(path)
	if err != nil || c.Servers[0].Command != "x" {
		t.Errorf("got %v, %v, want the variable's value", c, err)
	}
}

func TestAServerIsPrintedWithoutItsSecrets(t *testing.T) {
	hush := strings.Repeat("hush", 3)
	s := manager.Server{Name: "a", URL: "https://example.com/?key=" + hush,
		Headers: map[string]string{"Authorization": hush}, Env: map[string]string{"K": hush}, Args: []string{hush}}
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "server", s)
	for _, text := range []string{fmt.Sprint(s),
		fmt.Sprintf("%+v %#v %v", s, s, manager.Config{Servers: []manager.Server{s}}), b.String()} {
		if strings.Contains(text, hush) || !strings.Contains(text, "a") {
			t.Errorf("got %s, want the name and no secret", text)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	a := manager.Server{Name: "a", Command: "x"}
	for want, o := range map[string]manager.Options{
		"RequestTimeout: got -1ns":                         {RequestTimeout: -1},
		"MaxBackoff: got 1s":                               {Backoff: time.Minute, MaxBackoff: time.Second},
		"MaxMessage: got -1":                               {MaxMessage: -1},
		`server "a": Name: got that of`:                    {Servers: []manager.Server{a, a}},
		"Command, URL, Transport: got 0 of them, want one": {Servers: []manager.Server{{Name: "a"}}},
		"Command, URL, Transport: got 2 of them, want one": {
			Servers: []manager.Server{{Name: "a", Command: "x", URL: "http://x"}}},
	} {
		if _, err := manager.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := manager.New(manager.Options{Backoff: time.Hour}); err != nil {
		t.Errorf("got %v, want the default of MaxBackoff to follow", err)
	}
}

// Whatever the text, the parser returns; what it takes, a manager takes, and an error
// does not hold a variable's value.
func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers":{"a":{"command":"${KEY}","args":["${A:-b}"],"env":{"K":"${KEY}"},"x":1}}}`,
		`{"mcpServers":{"b":{"url":"https://h/${KEY}","type":"http","headers":{"A":"${KEY}"},"enabled":true}}}`,
		`{"mcpServers":{"c":{"disabled":true,"requestTimeout":"1s","priority":3}}}`, `{"mcpServers":{}}`, `{`,
	} {
		f.Add([]byte(s))
	}
	const value = "swordfish"
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := manager.ParseConfig(text, func(name string) (string, bool) { return value, name == "KEY" })
		if err != nil {
			if strings.Contains(err.Error(), value) && !strings.Contains(string(text), value) {
				t.Errorf("the error repeats a variable's value: %v", err)
			}
			return
		}
		if _, err := manager.New(manager.Options{Servers: c.Servers}); err != nil {
			t.Errorf("the parser took what the manager refuses: %v", err)
		}
	})
}
