// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unseenSeed was fixed before the rules were changed.
const unseenSeed = 770025

// unseenReview has templates and values of another author than firstReview. The odd lines of its templates may be
// looked at; of the even ones only the totals.
var unseenReview = &reviewSet{dir: "testdata/unseen/", labelled: 31, traffic: 32,
	secretNames: map[string][]string{
		"pw": {"password", "login password", "account password", "keystore password", "ldap password",
			"root password", "wifi password", "vault password", "proxy password", "bind password", "pass phrase",
			"database password"},
		"tok": {"api token", "bot token", "session token", "access key", "bearer token", "app token", "shared secret",
			"jwt secret", "personal access token", "consumer secret", "api key", "webhook signing secret"},
	},
	words: strings.Fields("kettle badger quartz tulip marble raven pepper canyon bridge comet walnut glacier " +
		"thistle button rocket velvet"),
	users: strings.Fields("arjun beata carlos daria emeka fatima goran hana ivan julia kofi leila marek " +
		"noor oskar priya"),
	password: (*review).password2, token: (*review).token2}

// password2 is a password as people and generators choose them.
func (r *review) password2() string {
	word, other := r.pick(r.words...), r.pick(r.words...)
	title := strings.ToUpper(word[:1]) + word[1:]
	switch r.IntN(10) {
	case 0:
		return title + strconv.Itoa(r.IntN(10)) + strings.ToUpper(other[:1]) + other[1:]
	case 1:
		return title + r.pick("#", "!", "*", "$", "%") + strconv.Itoa(10+r.IntN(990))
	case 2:
		return r.pick("Spring", "Summer", "Autumn", "Winter", "November", "March") + strconv.Itoa(2019+r.IntN(8)) +
			r.pick("", "!", "*")
	case 3:
		return strings.NewReplacer("a", "4", "e", "3", "o", "0", "i", "1").Replace(title+other) + "!"
	case 4:
		return r.randomText(12+r.IntN(6), letters62[10:])
	case 5:
		return r.hex(16)
	case 6:
		return r.randomText(10+r.IntN(8), letters62+"!#*+-_^~.") + strconv.Itoa(r.IntN(10))
	case 7:
		return word + strconv.Itoa(r.IntN(1000)) + other
	}
	return r.randomText(8+r.IntN(10), letters62) + strconv.Itoa(r.IntN(10))
}

// token2 is a token as services issue them.
func (r *review) token2() string {
	switch r.IntN(5) {
	case 0:
		return r.hex(40)
	case 1:
		return r.randomText(43, letters62) + "="
	case 2:
		return r.pick(r.words...)[:3] + "_" + r.randomText(28, letters62)
	}
	return r.randomText(20+r.IntN(21), letters62) + strconv.Itoa(r.IntN(10))
}

var bareForm = regexp.MustCompile(`‹(62|u|h|d|uh|l|b)x([0-9]+)›`)

// bare writes a token of an issuer's form in a sentence, in JSON or in an argument, without a telling name.
func (r *review) bare(line string) {
	f := strings.Split(line, "|")
	value := bareForm.ReplaceAllStringFunc(f[2], func(form string) string {
		m := bareForm.FindStringSubmatch(form)
		n, _ := strconv.Atoi(m[2])
		return r.randomText(n, map[string]string{"62": letters62, "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
			"h": "0123456789abcdef", "d": "123456789", "uh": "0123456789ABCDEF",
			"l": "0123456789abcdefghijklmnopqrstuvwxyz", "b": letters62 + "-_"}[m[1]])
	})
	r.names["value"] = value
	r.write(r.pick("We "+f[1]+" «value» for it.", `{"note":"`+f[1]+`","data":"«value»"}`, "run "+f[1]+" «value»⏎",
		"- «value»⏎- "+f[1], `x("`+f[1]+`", "«value»")`, f[1]+",«value»,«n»"))
}

// wrapped judges the text as that of a tool's result, encoded twice as JSON.
func (r *review) wrapped(t *testing.T, c *reviewTally) {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	inner, _ := json.Marshal([]block{{"text", r.text.String()}})
	outer, _ := json.Marshal(map[string]string{"result": string(inner)})
	out, _ := Default().JSON(outer)
	var result map[string]string
	var blocks []block
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	text := result["result"]
	if json.Unmarshal([]byte(text), &blocks) == nil && len(blocks) == 1 {
		text = blocks[0].Text
	}
	r.count(text, c)
}

// TestUnseen prints the figures of a half of the unseen review, 1 for development and 0 held out:
// make redact-unseen HALF=0. Of the half held out it shows totals only.
func TestUnseen(t *testing.T) {
	half, err := strconv.Atoi(os.Getenv("TOOLSCOPE_REDACT_UNSEEN"))
	if err != nil {
		t.Skip("make redact-unseen runs it")
	}
	set, show := unseenReview, os.Getenv("TOOLSCOPE_REDACT_SHOW")
	report := func(section, text, out string) {
		if half == 1 && show != "" && (show == "all" || strings.Contains(show, section)) {
			t.Logf("%s: %q became %q", section, text, out)
		}
	}
	labelled, personal, _, harmless := set.round(t, half, 12, unseenSeed, report)
	r := &review{maker: maker{rand.New(rand.NewPCG(unseenSeed, 33))}, reviewSet: set}
	bare, wrapped := reviewTable{}, reviewTable{}
	_, lines := set.file(t, "bare.txt", half)
	for _, line := range lines[""] {
		for range 12 {
			r.begin()
			r.bare(line)
			r.judge(Default(), bare.ofName(strings.Split(line, "|")[0]), func(text, out string) { report("bare", text, out) })
		}
	}
	sections, lines := set.file(t, "labelled.txt", half)
	for _, section := range sections {
		for _, line := range lines[section] {
			for range 6 {
				r.begin()
				r.write(line)
				r.judge(Default(), wrapped.ofName("as it is"), func(string, string) {})
				r.wrapped(t, wrapped.ofName("wrapped"))
			}
		}
	}
	right, wrong := set.mix(t, half, 1500, unseenSeed, report)
	var w strings.Builder
	for _, c := range []struct {
		title string
		table reviewTable
	}{{"labelled", labelled}, {"personal", personal}, {"bare", bare}, {"harmless", harmless}} {
		if half == 1 {
			c.table.print(&w, c.title)
			continue
		}
		s := c.table.sum()
		fmt.Fprintf(&w, "%s: %d values, found %.1f %%; %d texts, harmed %.1f %%\n", c.title, s.of,
			percent(s.found, s.of), s.texts, percent(s.harmed, s.texts))
	}
	if c := labelled["tables"]; half == 0 {
		s := reviewTally{of: c.of + labelled["csv"].of, found: c.found + labelled["csv"].found}
		fmt.Fprintf(&w, "tables and CSV: found %.1f %%\n", percent(s.found, s.of))
	}
	a, b := wrapped["as it is"], wrapped["wrapped"]
	fmt.Fprintf(&w, "the same texts as they are: %.1f %%, wrapped in JSON twice: %.1f %%\n", percent(a.found, a.of),
		percent(b.found, b.of))
	fmt.Fprintf(&w, "traffic: %d removals, %.1f %% of them planted\n", right+wrong, percent(right, right+wrong))
	t.Log("\n" + w.String())
}
