// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeep: what is harmless stays byte for byte.
func TestKeep(t *testing.T) {
	for _, text := range []string{
		// Names that only sound like those of secrets.
		`{"max_tokens":4096,"total_tokens":128,"prompt_tokens":100,"completion_tokens":28}`,
		`{"token_count":12,"tokens_used":77,"cached_tokens":0}`,
		`{"author":"Jane","authority":"example.com","monkey":"banana","keyboard":"qwerty-us"}`,
		`{"primary_key":"order_id","foreign_key":"customer_id","sort_key":"created_at"}`,
		`{"password_policy":"at least 12 characters","password_min_length":12}`,
		`{"secret_name":"db-main","secretRef":"prod/db","token_url":"https://id.example.com/token"}`,
		"tokenizer = sentencepiece",
		"keys: up, down, left, right",
		"compass=north passenger=two bypass=on",
		"The secret of good coffee is fresh water.",
		"Please enter your password: ",
		"You forgot your password? Reset it.",

		// References to where a secret is, and places for one to be filled in.
		"password: ${DB_PASSWORD}",
		"password={{ .Values.db.password }}",
		"api_key: ${{ secrets.API_KEY }}",
		"PASSWORD=$(cat /run/secrets/db)",
		"const token = process.env.API_TOKEN",
		`password = os.environ["DB_PASSWORD"]`,
		"password=<your password>",
		"password=changeme",
		"password=****",
		`{"password":null,"token":"","api_key":false}`,
		"password := readPassword()",
		"func Login(user, password string) error {",

		// Ids, hashes, versions, dates, numbers.
		`{"id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"}`,
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"index 83baae61804e..e69de29bb2d1 100644",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"go1.26.1 linux/amd64, v2.34.0-rc.1+build.5",
		"2026-01-02T03:04:05.678901234Z took 1.5s",
		"2026-01-02 03:04:05,678 INFO [worker-12] 17 of 1024 done",
		"listening on 127.0.0.1:8080 and [::1]:8080",
		"10.0.0.17 - - GET /items?page=2&size=50 HTTP/1.1 200 5120",
		"trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
		`{"at":1767322245,"at_ms":1767322245678,"size":1099511627776}`,
		`{"pi":3.141592653589793,"lat":59.3293,"lon":18.0686}`,
		"git@github.com:example/project.git",
		"https://example.com/a/b?page=2&sort=name#top",
		"ssh://git@example.com/x",
		"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",

		// Texts of every shape.
		"", " ", "\n", "{", `"`, "[]", "{}", "\xff\xfe", "日本語のテキスト", `{"日本":"語"}`,
		"if a == b { return c[i] }", "SELECT id, name FROM users WHERE age > 30", "rm -rf ./build && make -j4",
	} {
		if out, found := Default().Text(text); out != text || found != nil {
			t.Errorf("%q became %q with %v", text, out, found)
		}
		if out, _ := Default().JSON([]byte(text)); string(out) != text {
			t.Errorf("as JSON %q became %q", text, out)
		}
		wrapped := object("text", text)
		if out, _ := Default().Text(wrapped); out != wrapped {
			t.Errorf("in JSON %q became %q", wrapped, out)
		}
	}
}

// TestKeepOwnSource: source code is what agents read most. Of this package's, which
// speaks of nothing but secrets, almost every line stays.
func TestKeepOwnSource(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	inner, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, inner...)
	lines, changed := 0, 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(source)) {
			lines++
			if out, found := Default().Text(line); out != line {
				changed++
				t.Logf("%s: %v in %s", f, found.Kinds(), line)
			}
		}
	}
	if lines == 0 || changed*100 > lines {
		t.Errorf("%d of %d lines changed, want 1 %% at most", changed, lines)
	}
}
