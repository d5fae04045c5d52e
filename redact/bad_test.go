// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestBadInput: bounded work, valid JSON stays valid, and a secret behind whatever is
// costly does not come out.
func TestBadInput(t *testing.T) {
	secret := "hu3nter2" + "Zq9LmX"
	bomb := `{"password":"` + secret + `"}`
	for range 12 {
		b, _ := json.Marshal(map[string]string{"x": bomb})
		bomb = string(b)
	}
	const n = 1 << 18
	for _, c := range []struct{ name, text string }{
		{"deep arrays", strings.Repeat("[", 100_000) + `{"password":"` + secret + `"}` + strings.Repeat("]", 100_000)},
		{"deep objects", strings.Repeat(`{"a":`, 100_000) + `{"password":"` + secret + `"}` + strings.Repeat("}", 100_000)},
		{"JSON in JSON", bomb},
		{"one string", `{"a":"` + strings.Repeat("x", 16<<20) + ` password=` + secret + `"}`},
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
