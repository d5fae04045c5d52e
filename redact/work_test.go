// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/scan"
)

// Steps is how many steps of work a text takes.
func steps(text string, preset Preset) int64 {
	r, err := New(Options{Preset: preset})
	if err != nil {
		panic(err)
	}
	r.engine.Tally = new(scan.Tally)
	r.JSON([]byte(text))
	return r.engine.Tally.Steps.Load()
}

// hostile are pieces that, again and again, once cost or could cost more than their share.
var hostile = map[string]string{
	"letters":      "a",
	"words":        "some plain words of a text, and more of them\n",
	"brackets":     "[",
	"objects":      `{"a":`,
	"half objects": `{"`,
	"backslashes":  `\`,
	"escapes":      `\u0041`,
	"percent":      "%25",
	"NUL":          "\x00a",
	"invalid":      "\xff\xc0\x80\xed\xa0\x80",
	"digits":       "4111 ",
	"long digits":  "1234567890123456",
	"plus signs":   "+1 ",
	"dashes":       "-----BEGIN PRIVATE " + "KEY-----",
	"open keys":    "-----BEGIN PRIVATE " + "KEY-----!",
	"names":        `password="`,
	"bare names":   "password ",
	"headers":      "authorization: ",
	"cookies":      "cookie: a=",
	"schemes":      "https://a:",
	"bearers":      "bearer ",
	"commands":     "curl -u ",
	"manifests":    "kind: Secret\n",
	"lists":        "- password: x\n",
	"token heads":  "glpat-",
	"open tokens":  "sk_live_",
	"web tokens":   "eyJ",
	"at signs":     "a@",
	"domains":      "@a.",
	"addresses":    "de89 ",
	"colons":       "aa:",
	"base64":       "QUFB",
	"marks":        "[REDACTED:passwd]",
	"quotes":       `'"`,
	"angles":       "<password>",
	"references":   "${password:",
	"secrets":      `{"password":"hu3nter2Zq"},`,
	"assignments":  "key=",
	"signatures":   "?sig=",
	"userinfo":     "a://b:c",
	"passwords":    "a://b:c@",
	"arrows":       "password->",
	"manifest":     "kind: Secret\ndata:\n a: b\n",
	"table heads":  "<th>password</th>\n",
	"table cells":  "|password|x|\n",
	"tabs":         "password\tb\n",
	"drawn":        " password | b\n----------+---\n",
	"inserts":      "INSERT INTO t (password) VALUES ('a'),",
	"GitLab":       "glpat-",
	"fields":       "fill #password ",
	"programs":     "curl -u mysql -p ",
	"Cyrillic":     "пароль: ",
	"entities":     "&#65;",
	"pairs":        `{"name":"password",`,
	"comparisons":  "password == ",
	"blocks":       "key: |\n",
	"statements":   "update t set password = ? [[",
	"parameters":   "password = ?, ",
	"locators":     "fill(find('password'), ",
	"chains":       "password').first(",
	"snapshots":    `"password" [ref=e1] [x] `,
	"remarks":      "password (new): ",
	"sentences":    "the password is: ",
	"tuples":       "insert into t (password) values (?,",
	"title rows":   "<tr><th>password</th></tr><tr><td>",
	"labels":       "phone number is ",
	"near words":   "secret of a1b2c3d4 and e5f6g7h8 \"i9j8k7l6\" ",
	"base64 words": "cGFzc3dvcmQ6IGh1bnRlcjJacTk=\n",
}

// TestWorkIsLinear counts steps, not time: for each byte of a text of 1 MiB (of 128 KiB in
// JSON and in Strict) no more than for each of 1 KiB and of 16 KiB, give or take a third and
// what a limit allows, since a small text may spend as much on one byte. Under the race detector the
// large text is of 32 KiB: the steps are the same.
func TestWorkIsLinear(t *testing.T) {
	for name, piece := range hostile {
		for form, wrap := range map[string]func(string) string{
			"as it is": func(s string) string { return s },
			"in JSON": func(s string) string {
				b, _ := json.Marshal(map[string]string{"text": s})
				return string(b)
			},
		} {
			perByte := func(size int, preset Preset) float64 {
				text := wrap(strings.Repeat(piece, size/len(piece)+1))
				return float64(steps(text, preset)) / float64(len(text))
			}
			for title, preset := range map[string]Preset{"default": Defaults, "strict": Strict} {
				large := 1 << 17
				switch {
				case raceSaving > 1:
					large = 1 << 15
				case form == "as it is" && preset == Defaults && !testing.Short():
					large = 1 << 20
				}
				small, big := max(perByte(1<<10, preset), perByte(1<<14, preset)), perByte(large, preset)
				if big > small*4/3+4 {
					t.Errorf("%s %s, %s: %.1f steps a byte at 16 KiB or less, %.1f at %d KiB", name, form, title,
						small, big, large>>10)
				}
				if limit := float64(maxPasses*(defaultLimits.Work+64) + 64); big > limit {
					t.Errorf("%s %s, %s: %.1f steps a byte, want %.0f or fewer", name, form, title, big, limit)
				}
			}
		}
	}
}
