// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
)

// TestElsewhere: a value that a name gives away goes wherever the same text shows it, and
// its JSON stays valid. What looks like a word goes beside its name alone.
func TestElsewhere(t *testing.T) {
	v := newMaker(17).drawn(24)
	for _, text := range []string{
		"api_key=" + v + "\nGET /items/" + v + " failed",
		"used " + v + " before, since token: '" + v + "' | '" + v + "'",
		`{"env":{"API_KEY":"` + v + `"},"stdout":"connected with ` + v + `","argv":["run","` + v + `"]}`,
		object("content", `{"secret":"`+v+`","log":"`+v+`"}`),
		`{"` + v + `":1,"client_secret":"` + v + `"}`,
	} {
		out, found := Default().Text(text)
		if canary.Find(unescapeAll(out), []canary.Secret{{Value: v}}) != nil || found.Count() < 2 {
			t.Errorf("%q became %q with %d findings", text, out, found.Count())
		}
		if text[0] == '{' && !json.Valid([]byte(out)) {
			t.Errorf("%q became %q, no JSON", text, out)
		}
		if again, _ := Default().Text(out); again != out {
			t.Errorf("%q became %q", out, again)
		}
	}
	for _, word := range []string{"orders-database-2", "production", "2026010203040506"} {
		text := "db_password=" + word + "\nconnected to " + word
		if out, _ := Default().Text(text); !strings.HasSuffix(out, "connected to "+word) {
			t.Errorf("%q became %q", text, out)
		}
	}
	kept := "api_key=" + v + "\nGET /items/" + v
	r, err := New(Options{Callback: func(Match) (Action, string) { return Keep, "" }})
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := r.Text(kept); out != kept {
		t.Errorf("%q became %q, want what the callback keeps kept", kept, out)
	}
}
