// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// TestJSONStays: around what is removed every byte stays.
func TestJSONStays(t *testing.T) {
	const gone = "hu3nter2Zq"
	for _, c := range []struct{ name, in, want string }{
		{"order", `{"z":1,"password":"` + gone + `","a":2}`, `{"z":1,"password":"[REDACTED:passwd]","a":2}`},
		{"numbers", `[1e400,-0,1.0,123456789012345678901234567890,1E+2,{"password":"` + gone + `"}]`,
			`[1e400,-0,1.0,123456789012345678901234567890,1E+2,{"password":"[REDACTED:passwd]"}]`},
		{"duplicates", `{"a":1,"a":2,"password":"` + gone + `","password":"` + gone + `"}`,
			`{"a":1,"a":2,"password":"[REDACTED:passwd]","password":"[REDACTED:passwd]"}`},
		{"white space", " {\t\"password\" :\r\n \"" + gone + "\" }\n", " {\t\"password\" :\r\n \"[REDACTED:passwd]\" }\n"},
		{"escapes elsewhere", `{"a":"\u00e4\/\n","password":"` + gone + `"}`,
			`{"a":"\u00e4\/\n","password":"[REDACTED:passwd]"}`},
		{"byte order mark", "\uFEFF" + `{"password":"` + gone + `"}`, "\uFEFF" + `{"password":"[REDACTED:passwd]"}`},
		{"invalid UTF-8 elsewhere", "{\"a\":\"\xff\xfe\",\"password\":\"" + gone + `"}`,
			"{\"a\":\"\xff\xfe\",\"password\":\"[REDACTED:passwd]\"}"},
		{"lines", `{"a":1}` + "\n" + `{"password":"` + gone + `"}` + "\n" + `{"b":2}` + "\n",
			`{"a":1}` + "\n" + `{"password":"[REDACTED:passwd]"}` + "\n" + `{"b":2}` + "\n"},
		{"a number", `{"password":12345678,"n":1}`, `{"password":"[REDACTED:passwd]","n":1}`},
		{"name and value", `[{"name":"DB_PASSWORD","value":"` + gone + `"},{"name":"REGION","value":"eu-west-1"}]`,
			`[{"name":"DB_PASSWORD","value":"[REDACTED:passwd]"},{"name":"REGION","value":"eu-west-1"}]`},
		{"option and value", `["run","--password","` + gone + `","--verbose"]`,
			`["run","--password","[REDACTED:passwd]","--verbose"]`},
		{"items inherit", `{"passwords":["` + gone + `","` + gone + `1"],"n":["a"]}`,
			`{"passwords":["[REDACTED:passwd]","[REDACTED:passwd]"],"n":["a"]}`},
		{"value inherits", `{"password":{"value":"` + gone + `","rotated":true}}`,
			`{"password":{"value":"[REDACTED:passwd]","rotated":true}}`},
		{"JSON in JSON", `{"text":"{\"n\":1e400,\"password\":\"` + gone + `\"}"}`,
			`{"text":"{\"n\":1e400,\"password\":\"[REDACTED:passwd]\"}"}`},
		{"cut off", `{"a":[{"password":"` + gone, `{"a":[{"password":"[REDACTED:passwd]`},
		{"a string", `"password=` + gone + `"`, `"password=[REDACTED:passwd]"`},
		{"a log line", `[INFO] password=` + gone, `[INFO] password=[REDACTED:passwd]`},
	} {
		in := []byte(c.in)
		before := bytes.Clone(in)
		out, found := Default().JSON(in)
		if string(out) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, out, c.want)
		}
		if found.Count() == 0 {
			t.Errorf("%s: nothing reported", c.name)
		}
		if !bytes.Equal(in, before) {
			t.Errorf("%s: the input was written to", c.name)
		}
	}
}

func TestJSONCleanIsTheInput(t *testing.T) {
	in := []byte(`{"a":[1,2,{"b":"c\u00e4"}]}`)
	out, found := Default().JSON(in)
	if &out[0] != &in[0] || found != nil {
		t.Errorf("got a copy, or %v", found)
	}
}

// TestJSONDeep: what is nested deeper than the limit is removed, without
// recursion.
func TestJSONDeep(t *testing.T) {
	secret := canary.Secrets(5)[0]
	for _, open := range []string{"[", `{"a":`} {
		closing := map[string]string{"[": "]", `{"a":`: "}"}[open]
		for _, depth := range []int{63, 64, 65, 1000, 100_000} {
			doc := strings.Repeat(open, depth) + object("password", secret.Value) + strings.Repeat(closing, depth)
			out, found := Default().JSON([]byte(doc))
			if canary.Find(string(out), []canary.Secret{secret}) != nil || found.Count() == 0 {
				t.Errorf("depth %d of %s: survives", depth, open)
			}
			if !json.Valid(out) {
				t.Errorf("depth %d of %s: no JSON any more", depth, open)
			}
			cut := doc[:len(doc)-depth/2-1]
			if out, _ := Default().JSON([]byte(cut)); canary.Find(string(out), []canary.Secret{secret}) != nil {
				t.Errorf("depth %d of %s, cut off: survives", depth, open)
			}
		}
	}
}

// TestJSONInJSON: strings in strings are followed as far as limits go, and what is
// beyond does not pass, nor blow up.
func TestJSONInJSON(t *testing.T) {
	secret := canary.Secrets(6)[2] // known by its form, wherever it is found
	doc := object("note", secret.Value)
	for level := range 12 {
		out, _ := Default().Text(doc)
		if canary.Find(out, []canary.Secret{secret}) != nil {
			t.Errorf("at level %d: survives", level)
		}
		if !json.Valid([]byte(out)) {
			t.Errorf("at level %d: no JSON any more", level)
		}
		doc = object("text", doc)
	}
	laughs := `"lol"`
	for range 9 {
		inner := strings.TrimSuffix(strings.Repeat(laughs+",", 4), ",")
		laughs = string(must(json.Marshal("[" + inner + "]")))
		if len(laughs) > 4<<20 {
			break
		}
	}
	if out, found := Default().Text(laughs); out != laughs || found != nil {
		t.Errorf("%d bytes of nothing were changed: %v", len(laughs), found)
	}
}

// TestJSONInvalid: broken JSON and what follows it are redacted all the same.
func TestJSONInvalid(t *testing.T) {
	secrets := canary.Secrets(8)
	token := secrets[2].Value
	for _, doc := range []string{
		`{'note':'` + token + `'}`, `{"note":` + token + `}`, `{"a":1,}` + token, `{"note":"` + token,
		`{"note":"` + token + `\`,
		`{"note":"` + token + `\u00`, `]]]]{"note":"` + token + `"}`, `{"note"::::"` + token + `"}`,
		"\x00{\"note\":\"" + token + "\"}",
		`{"a":1} and then ` + token, `{"` + token + `":1}`, "{\"a\":\"\xff " + token + "\xff\"}",
		`{"a":"\ud83d ` + token + `"}`,
	} {
		if out, _ := Default().JSON([]byte(doc)); canary.Find(string(out), secrets) != nil {
			t.Errorf("%q: survives in %q", doc, out)
		}
	}
}

// TestJSONHugeString: one string of 64 MiB with a secret at its end.
func TestJSONHugeString(t *testing.T) {
	size := 64 << 20 / raceSaving
	if testing.Short() {
		size = 1 << 20
	}
	secret := canary.Secrets(9)[2]
	line := "GET /items/17 took 12ms and returned 200 to the caller\\n"
	doc := []byte(`{"log":"` + strings.Repeat(line, size/len(line)) + secret.Text + `"}`)
	out, found := Default().JSON(doc)
	if bytes.Contains(out, []byte(secret.Value)) || found.Count() != 1 || !json.Valid(out) {
		t.Errorf("survives, or %v", found)
	}
}

// TestFindings: an entry for each place, as far as there are not too many, and all kinds.
func TestFindings(t *testing.T) {
	doc := "[" + strings.Repeat(`{"password":"hu3nter2Zq"},`, 1000) + object("note", canary.Secrets(1)[2].Value) + "]"
	_, found := Default().JSON([]byte(doc))
	if len(found) > maxFindings+2 || found[0].Path != "/0/password" || found.Count() != 1001 ||
		!slices.Equal(found.Kinds(), []string{"github-token", kinds.PasswdName}) {
		t.Errorf("got %v, want 1000 passwords and a GitHub token", found)
	}
}
