// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	b64 "encoding/base64"
	"encoding/json"
	neturl "net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/scan"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// seeds are texts of every form the engine knows.
var seeds = []string{
	"", "{}", "[]", `""`, "null", `{"a":1}`, `{"password":"x1y2z3"}`, `{"a":{"b":[1,2,{"token":"abc"}]}}`,
	`[{"type":"text","text":"{\"password\":\"hunter2\"}"}]`,
	`{"\u0070assword":"\u0068unter2"}`, `{"a":"` + strings.Repeat("x", 300) + `"}`, `{"a":"\ud83d\ude00 \ud83d"}`,
	`{"a":"b`, `{"a":"b\`, `{"a":"b\u00`, `{'a':'b'}`,
	"password = hunter2\n", "export API_KEY='abc123def456'", "https://u:p@h/x?sig=abcdef123456",
	"Authorization: Basic dXNlcjpwYXNz", "4111 1111 1111 1111", "a@b.io",
	"\xff\xfe\x00", "{\"a\":1}\n{\"password\":\"x\"}\n", "[INFO] password: x", "mysql -u root -pS3cret db",
	"curl -u a:b http://x", `<password>hunter2</password>`,
	"+46 70 123 45 67", "DE89 3704 0044 0532 0130 00", "AA:BB:CC:DD:EE:FF", "[REDACTED:passwd]",
	`{"a":"[REDACTED:token] x"}`, "kind: Secret\ndata:\n  a: aGVsbG8gd29ybGQ=\n",
	"0000000 0 0\x00" + "0000 000 \x000", "0000000 0 0\x00" + "00000 000 \x000",
	"0 0 00000000. 000.000000000000000. 000.  0-0000.00", "(.0 .+551) 55-1.5 4(510+5515.000 5+", "pass:[00 \"00",
	"0@0.A\x9fAP000000000",
}

// FuzzText: never a panic, valid JSON stays valid, redacting twice is redacting once,
// and what is reported agrees with what came out.
func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		counted := *Default()
		counted.engine.Tally = new(scan.Tally)
		out, found := counted.Text(s)
		if n := counted.engine.Tally.Steps.Load(); n > int64(maxPasses*(1<<16+2*defaultLimits.Work*len(s))) {
			t.Fatalf("%d steps for %d bytes: %q", n, len(s), s)
		}
		if len(found) == 0 && out != s {
			t.Fatalf("changed without a finding: %q became %q", s, out)
		}
		if found.Count() > 0 && found[0].Kind == kinds.UnscannedName && len(s) < 64 && strings.Count(s,
			"[")+strings.Count(s, "{") < 60 {
			t.Fatalf("the redactor panicked in %q", s)
		}
		if doc, _ := Default().JSON([]byte(s)); json.Valid([]byte(s)) && !json.Valid(doc) {
			t.Fatalf("valid JSON %q became %q", s, doc)
		}
		if again, _ := Default().Text(out); again != out {
			t.Fatalf("%q became %q, and then %q", s, out, again)
		}
	})
}

// FuzzJSON: of valid JSON the structure stays, and every name, number and text, but where
// a mark stands.
func FuzzJSON(f *testing.F) {
	for _, s := range seeds {
		if json.Valid([]byte(s)) {
			f.Add([]byte(s))
		}
	}
	f.Add([]byte(`[1e400,-0,1.0,123456789012345678901234567890,1E+2,{"a":1,"a":2,"password":"hu3nter2Zq",` +
		`"password":41111111}]`))
	f.Fuzz(func(t *testing.T, src []byte) {
		if !json.Valid(src) {
			t.Skip()
		}
		out, _ := Default().JSON(src)
		if strings.Contains(string(out), marks.Text(kinds.UnscannedName)) {
			return // a subtree, or all of it, may be gone
		}
		before, after := jsonTokens(src), jsonTokens(out)
		if len(before) != len(after) {
			t.Fatalf("%q with %d tokens became %q with %d", src, len(before), out, len(after))
		}
		for i := range before {
			if text, ok := after[i].(string); before[i] != after[i] && (!ok || !strings.Contains(text, marks.Head)) {
				t.Fatalf("token %d of %q became %v in %q", i, src, after[i], out)
			}
		}
	})
}

// jsonTokens lists the tokens of JSON text, numbers as they are written.
func jsonTokens(src []byte) (list []json.Token) {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if err != nil {
			return list
		}
		list = append(list, tok)
	}
}

// FuzzMax: the limit holds, text stays UTF-8 where it was, JSON stays valid.
func FuzzMax(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, 16+i*7)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 1 + limit&0x3ff
		text, _ := Default().TextMax(s, limit)
		if len(text) > limit {
			t.Fatalf("TextMax(%q, %d) has %d bytes", s, limit, len(text))
		}
		if utf8.ValidString(s) && !utf8.ValidString(text) {
			t.Fatalf("TextMax(%q, %d) is no UTF-8: %q", s, limit, text)
		}
		out, _ := Default().JSONMax([]byte(s), limit)
		if len(out) > limit {
			t.Fatalf("JSONMax(%q, %d) has %d bytes: %q", s, limit, len(out), out)
		}
		if syntax.LooksLikeJSON(s) && json.Valid([]byte(s)) && limit > 256 && !json.Valid(out) {
			t.Fatalf("JSONMax(%q, %d) is no JSON: %q", s, limit, out)
		}
	})
}

// FuzzSecretSurvives: a secret under a telling name is gone, whatever stands around
// it and however it is encoded.
func FuzzSecretSurvives(f *testing.F) {
	f.Add(uint64(1), "before", "after")
	f.Add(uint64(2), `"{}`, `\`)
	f.Fuzz(func(t *testing.T, seed uint64, before, after string) {
		secrets := canary.Secrets(seed)
		password, token := secrets[0].Value, secrets[2].Value
		doc, err := json.Marshal(map[string]any{
			"before": before, "password": password, "list": []string{"--token", token, after},
			"nested": string(must(json.Marshal(map[string]string{"x": before, "api_key": token}))),
		})
		if err != nil {
			t.Skip()
		}
		for _, text := range []string{
			string(doc), escapeAll(string(doc)), string(must(json.Marshal(map[string]string{"text": string(doc)}))),
			neturl.QueryEscape(string(doc)), b64.StdEncoding.EncodeToString(doc),
			"see " + b64.RawURLEncoding.EncodeToString(doc),
		} {
			out, _ := Default().Text(text)
			if survives := canary.Find(decodeAll(out), secrets[:3]); survives != nil {
				t.Fatalf("%v survives in %q", survives, out)
			}
		}
	})
}

// decodeAll is unescapeAll, with percent codes and base64 opened as well.
func decodeAll(out string) string {
	all := unescapeAll(out)
	if plain, err := neturl.QueryUnescape(out); err == nil {
		all += "\n" + unescapeAll(plain)
	}
	for _, word := range strings.Fields(out) {
		if plain, err := b64.StdEncoding.DecodeString(word); err == nil {
			all += "\n" + unescapeAll(string(plain))
		}
		if plain, err := b64.RawURLEncoding.DecodeString(word); err == nil {
			all += "\n" + unescapeAll(string(plain))
		}
	}
	return all
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// escapeAll writes the letters within JSON strings as \u escapes.
func escapeAll(doc string) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		switch {
		case c == '"':
			inString = !inString
			b.WriteByte(c)
		case c == '\\':
			n := 2
			if doc[i+1] == 'u' {
				n = 6
			}
			b.WriteString(doc[i : i+n])
			i += n - 1
		case inString && c >= 'a' && c <= 'z':
			b.WriteString(`\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescapeAll is text with everything that decoding it as JSON gives.
func unescapeAll(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	all := text
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all += "\n" + v
			if syntax.LooksLikeJSON(v) {
				all += "\n" + unescapeAll(v)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return all
}
