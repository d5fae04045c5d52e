// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestInvalidUTF8: bytes that are no UTF-8, of every form, hide nothing beside or within
// a secret's text, and what is not removed stays byte for byte.
func TestInvalidUTF8(t *testing.T) {
	const secret = "hu3nter2" + "Zq9LmX"
	for name, bad := range map[string]string{
		"a continuation alone": "\x80", "many of them": "\x80\xbf\x80\xbf", "two bytes cut": "\xc3",
		"three bytes cut": "\xe2\x82", "four bytes cut": "\xf0\x9f\x98",
		"overlong of two": "\xc0\xaf", "of three": "\xe0\x80\xaf", "of four": "\xf0\x80\x80\xaf",
		"a high surrogate": "\xed\xa0\x80", "a low surrogate": "\xed\xb0\x80",
		"a pair of surrogates": "\xed\xa0\xbd\xed\xb8\x80", "beyond the last": "\xf4\x90\x80\x80",
		"five bytes": "\xf8\x88\x80\x80\x80", "six bytes": "\xfc\x84\x80\x80\x80\x80",
		"FE and FF": "\xfe\xff", "Latin-1": "\xe4\xf6\xfc", "NUL": "\x00", "a zero-width space": "\u200b",
		"a byte order mark": "\uFEFF",
	} {
		for _, text := range []string{
			bad + "password=" + secret, "password=" + secret + bad, "x" + bad + " password=" + secret + " y" + bad,
			`{"a":"` + bad + `","password":"` + secret + `"}`,
			`{"` + bad + `":{"password":"` + bad + secret + `"}}`, `["` + bad + ` password=` + secret + `"]`,
			bad + `{"password":"` + secret + `"}` + bad,
		} {
			out, found := Default().Text(text)
			if strings.Contains(out, secret[:8]) || found.Count() == 0 {
				t.Errorf("%s: %q became %q", name, text, out)
			}
			before, _, _ := strings.Cut(text, secret)
			if !strings.HasPrefix(out, strings.TrimSuffix(before, bad)) {
				t.Errorf("%s: %q became %q, want the beginning as it was", name, text, out)
			}
		}
	}
	utf16 := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			b.WriteByte(s[i])
			b.WriteByte(0)
		}
		return b.String()
	}
	for _, text := range []string{"\xff\xfe" + utf16("password="+secret), "\xfe\xff\x00" + utf16("password="+secret)} {
		if out, _ := Default().Text(text); strings.Contains(strings.ReplaceAll(out, "\x00", ""), secret[:8]) {
			t.Errorf("UTF-16 %q became %q", text, out)
		}
	}
}

// TestBadInput: bounded work, valid JSON stays valid, and a secret behind whatever is
// costly does not come out.
func TestBadInput(t *testing.T) {
	secret := "hu3nter2" + "Zq9LmX"
	bomb := `{"password":"` + secret + `"}`
	for range 12 {
		b, _ := json.Marshal(map[string]string{"x": bomb})
		bomb = string(b)
	}
	const n = 1 << 18 / raceSaving
	for _, c := range []struct{ name, text string }{
		{"deep arrays", strings.Repeat("[", 100_000) + `{"password":"` + secret + `"}` + strings.Repeat("]", 100_000)},
		{"deep objects", strings.Repeat(`{"a":`, 100_000) + `{"password":"` + secret + `"}` + strings.Repeat("}", 100_000)},
		{"JSON in JSON", bomb},
		{"one string", `{"a":"` + strings.Repeat("x", 16<<20/raceSaving) + ` password=` + secret + `"}`},
		{"names", strings.Repeat(`password="`, n/10) + "\n password=" + secret},
		{"headers", strings.Repeat("authorization: ", n/15) + "password=" + secret},
		{"cookies", strings.Repeat("cookie: a=", n/10) + "password=" + secret},
		{"schemes", strings.Repeat("https://a:", n/10) + " password=" + secret},
		{"commands", strings.Repeat("curl -u ", n/8) + " password=" + secret},
		{"digits", strings.Repeat("4111 ", n/5) + " password=" + secret},
		{"fragments", strings.Repeat(`{"`, n/2) + " password=" + secret},
		{"percent", strings.Repeat("%25", n/3) + " password=" + secret},
		{"escapes", strings.Repeat(`\\`, n/2) + " password=" + secret},
		{"manifests", strings.Repeat("kind: Secret\n", n/13) + " password=" + secret},
		{"lists", "password:\n" + strings.Repeat("- password: x\n", n/14) + " password=" + secret},
		{"NUL", strings.Repeat("\x00", n) + " password=" + secret},
		{"invalid UTF-8", strings.Repeat("\xff\xc0\x80\xed\xa0\x80", n/6) + " password=" + secret},
		{"quotes", strings.Repeat(`'`, n) + " password=" + secret},
		{"dashes", strings.Repeat("-----BEGIN PRIVATE "+"KEY-----", n/27) + " password=" + secret},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.text)
			out, found := Default().JSON(src)
			if bytes.Contains(out, []byte(secret)) || found.Count() == 0 {
				t.Errorf("got %d bytes and findings %v, want the secret gone", len(out), found)
			}
			if json.Valid(src) && !json.Valid(out) {
				t.Errorf("got no JSON: %.200q", out)
			}
		})
	}
}

// TestTextEndsAtValue: a text that ends where a value is to begin, in each notation. At "- " of a
// list that began behind a carriage return, it read a byte too far, and all of the text was removed.
func TestTextEndsAtValue(t *testing.T) {
	for _, name := range []string{"password", "pw", "api_key", "secrets"} {
		for _, before := range []string{"", ":", "=", ": ", ":\n", ":\r", ":\n  ", ":\n- ", ":\r- ", ":\n  - ",
			": |\n", ": >\n ", ": [", ": ['", ` "`, "=>", " is ", "(", ",", "->", ": String = ", "%3d", "\\\":"} {
			for _, text := range []string{name + before, "--" + name + before, `"` + name + `"` + before, "<" + name + before} {
				if out, _ := Default().Text(text); out != text {
					t.Errorf("%q became %q", text, out)
				}
			}
		}
	}
}
