// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A review makes texts of the templates in testdata/review, and counts what is removed of them.
type review struct {
	maker
	*reviewSet
	text  strings.Builder
	spans []planted
	names map[string]string // of this text
}

// A reviewSet is one author's templates, and the values that fill them.
type reviewSet struct {
	dir               string
	secretNames       map[string][]string
	words, users      []string
	password, token   func(r *review) string
	labelled, traffic uint64 // streams of the generator
	alone             bool   // its author has seen no other set, so that templates of two may be the same

	valid func(kind, country, value string) bool // of made-up personal data; nil: all are
}

var firstReview = &reviewSet{dir: "testdata/review/", secretNames: reviewNames, words: reviewWords, users: reviewUsers,
	password: (*review).password1, token: (*review).token1, labelled: 25, traffic: 26}

// planted is a part of a text: a secret, or what fills a template.
type planted struct {
	start, end int
	secret     bool
}

func (r *review) pick(list ...string) string { return list[r.IntN(len(list))] }

var reviewNames = map[string][]string{
	"pw": {"password", "db password", "admin password", "passwd", "smtp password", "user password", "passphrase",
		"client secret", "redis password", "master password", "app secret"},
	"tok": {"api key", "access token", "auth token", "secret key", "client secret", "signing key", "private token",
		"refresh token", "encryption key", "webhook secret"},
}

var reviewWords = strings.Fields("river orchid falcon maple harbor copper meadow lantern pebble cedar " +
	"violet summit ember " +
	"anchor saffron tundra willow cobalt drift hazel")

var reviewUsers = strings.Fields("anna bruno chloe dmitri elena farid greta henrik ines jonas keiko " +
	"luca maria nils olga")

func (r *review) hex(n int) string { return r.randomText(n, "0123456789abcdef") }

func (r *review) token1() string {
	return r.pick(r.randomText(24+r.IntN(20), letters62)+"7", r.hex(32+8*r.IntN(3)))
}

// password1 is one of the forms that people and programs give passwords.
func (r *review) password1() string {
	word := r.pick(reviewWords...)
	switch r.IntN(8) {
	case 0:
		return r.pick(reviewUsers...) + strconv.Itoa(1950+r.IntN(70))
	case 1:
		return strings.ToUpper(word[:1]) + word[1:] + r.pick("+", "@", "_", ".", "-", "!") + strconv.Itoa(100+r.IntN(9900))
	case 2:
		return word + "-" + r.pick(reviewWords...) + "-" + r.pick(reviewWords...)
	case 3:
		return r.randomText(10+r.IntN(4), "abcdefghijklmnopqrstuvwxyz")
	case 4:
		return strings.ToUpper(word[:1]) + word[1:] + strconv.Itoa(r.IntN(90)+10) + "!"
	}
	return r.randomText(8+r.IntN(6), letters62) + strconv.Itoa(r.IntN(10))
}

// styled is a name in words in the style that a placeholder has.
func styled(name, style string) string {
	words := strings.Fields(name)
	join := func(sep string, from int, change func(string) string) string {
		out := slices.Clone(words)
		for i := from; i < len(out); i++ {
			out[i] = change(out[i])
		}
		return strings.Join(out, sep)
	}
	title := func(w string) string {
		r := []rune(w)
		return strings.ToUpper(string(r[:1])) + string(r[1:])
	}
	switch style {
	case "_":
		return strings.ToLower(strings.ReplaceAll(join("_", 0, strings.ToLower), "'", "_"))
	case "-", ".":
		return join(style, 0, strings.ToLower)
	case "Camel":
		return strings.ReplaceAll(strings.ToLower(words[0])+join("", 1, title)[len(words[0]):], "'", "")
	case "upper":
		return join("_", 0, strings.ToUpper)
	case "title":
		return title(name)
	case "pascal":
		return join("", 0, title)
	}
	return name
}

// fill is what a placeholder stands for. secret tells that it has to be removed.
func (r *review) fill(name string) (v string, secret bool) {
	hex := r.hex
	switch name {
	case "pw":
		return r.password(r), true
	case "tok":
		return r.token(r), true
	case "value":
		return r.names["value"], true
	case "user":
		return r.pick(r.users...), false
	case "Name":
		return styled(r.pick(r.users...), "title"), false
	case "word", "id":
		return r.pick(r.words...), false
	case "host":
		return r.pick(r.words...) + ".example.com", false
	case "path":
		return "/srv/" + r.pick(r.words...) + ".txt", false
	case "n":
		return strconv.Itoa(100 + r.IntN(900)), false
	case "d":
		return strconv.Itoa(1 + r.IntN(9)), false
	case "dd":
		return strconv.Itoa(10 + r.IntN(18)), false
	case "Y":
		return strconv.Itoa(1940 + r.IntN(60)), false
	case "yy":
		return strconv.Itoa(10 + r.IntN(90)), false
	case "ts":
		return fmt.Sprintf("2026-01-%02dT10:%02d:00Z", 1+r.IntN(28), r.IntN(60)), false
	case "uuid":
		return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-8" + hex(3) + "-" + hex(12), false
	case "b64":
		return r.randomText(43, letters62+"+/"), false
	case "AKIA":
		return "AKIA" + r.randomText(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), true
	}
	if text, ok := strings.CutPrefix(name, "="); ok {
		return text, false
	}
	if n, ok := strings.CutPrefix(name, "hex"); ok {
		size, _ := strconv.Atoi(n)
		return hex(size), false
	}
	for base, list := range r.secretNames {
		if len(name) < len(base) || !strings.EqualFold(name[:len(base)], base) {
			continue
		}
		if r.names[base] == "" {
			r.names[base] = r.pick(list...)
		}
		style := name[len(base):]
		switch {
		case name[:len(base)] == strings.ToUpper(base):
			style = "upper"
		case name[0] < 'a' && style == "Camel":
			style = "pascal"
		case name[0] < 'a' && style == "":
			style = "title"
		}
		v = styled(r.names[base], style)
		if name == "Tok-" {
			v = "X-" + strings.ReplaceAll(styled(r.names[base], "title"), " ", "-")
		}
		return v, false
	}
	if style, ok := strings.CutPrefix(name, "label"); ok {
		return styled(r.names["label"], style), false
	}
	if name == "Label" {
		return styled(r.names["label"], "title"), false
	}
	panic("no placeholder " + name)
}

var placeholder = regexp.MustCompile("«[^»]+»")

// quotes are the quotation marks that placeholders have, in templates.
var quotes = strings.NewReplacer("⟪", "«", "⟫", "»")

// write adds a template, filled.
func (r *review) write(template string) {
	template = strings.ReplaceAll(template, "⏎", "\n")
	for template != "" {
		loc := placeholder.FindStringIndex(template)
		if loc == nil {
			r.text.WriteString(quotes.Replace(template))
			return
		}
		r.text.WriteString(quotes.Replace(template[:loc[0]]))
		name := strings.Trim(template[loc[0]:loc[1]], "«»")
		v, secret := r.fill(name)
		if !strings.Contains("pw tok", strings.ToLower(name[:min(2, len(name))])) || secret {
			r.spans = append(r.spans, planted{r.text.Len(), r.text.Len() + len(v), secret})
		}
		r.text.WriteString(v)
		template = template[loc[1]:]
	}
}

// form fills in a form of personal data.
func (r *review) form(form string) string {
	form = placeholder.ReplaceAllStringFunc(form, func(p string) string {
		v, _ := r.fill(strings.Trim(p, "«»"))
		return strings.Map(func(c rune) rune { return c + 0xe000 }, v)
	})
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 0xe000:
			return c - 0xe000
		case c == '9':
			return '0' + rune(r.IntN(10))
		case c == '1':
			return '1' + rune(r.IntN(9))
		case c == 'A':
			return 'A' + rune(r.IntN(26))
		}
		return c
	}, form)
}

// file reads a file of templates. Of each section, half has the odd lines: half 0 or 1; 2 is all.
func (set *reviewSet) file(t *testing.T, name string, half int) (sections []string, lines map[string][]string) {
	text, err := os.ReadFile(set.dir + name)
	if err != nil {
		t.Fatal(err)
	}
	lines = make(map[string][]string)
	section, n := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# ") && section == "", line == "":
		case strings.HasPrefix(line, "== "):
			section, n = line[3:], 0
			sections = append(sections, section)
		default:
			if n++; half == 2 || n%2 == half {
				lines[section] = append(lines[section], line)
			}
		}
	}
	return sections, lines
}

// A tally counts, by carrier or kind.
type reviewTally struct{ of, found, texts, harmed int }

type reviewTable map[string]*reviewTally

func (t reviewTable) ofName(name string) *reviewTally {
	if t[name] == nil {
		t[name] = new(reviewTally)
	}
	return t[name]
}

// begin starts a text.
func (r *review) begin() {
	r.text.Reset()
	r.spans, r.names = r.spans[:0], make(map[string]string)
}

// removals are the parts that are removed of a text. They are found by the marks.
func removals(text, out string) (spans [][2]int) {
	at, p := 0, 0
	for {
		i := strings.Index(out[p:], "[REDACTED:")
		if i < 0 {
			return spans
		}
		at += i
		p += i + strings.IndexByte(out[p+i:], ']') + 1
		next := out[p:]
		if j := strings.Index(next, "[REDACTED:"); j >= 0 {
			next = next[:j]
		}
		end := len(text)
		if p < len(out) {
			n := strings.Index(text[at:], next)
			if len(next) < 3 && !strings.Contains(out[p:], "[REDACTED:") {
				n = strings.LastIndex(text[at:], next)
			}
			end = at + max(0, n)
		}
		spans = append(spans, [2]int{at, end})
		at = end
	}
}

// judge counts what became of the text.
func (r *review) judge(clean *Redactor, c *reviewTally, report func(text, out string)) {
	text := r.text.String()
	out, _ := clean.Text(text)
	if r.count(out, c) {
		report(text, out)
	}
}

// count compares the text with out, which is left of it, and reports whether it is wrong.
func (r *review) count(out string, c *reviewTally) (bad bool) {
	text := r.text.String()
	spans := removals(text, out)
	c.texts++
	for _, p := range r.spans {
		hidden := 0
		for _, s := range spans {
			hidden += max(0, min(s[1], p.end)-max(s[0], p.start))
		}
		switch {
		case p.secret:
			c.of++
			if p.end-p.start-hidden <= max(4, (p.end-p.start)/6) && hidden > 0 {
				c.found++
			} else {
				bad = true
			}
		case hidden > 0 && !slices.ContainsFunc(r.spans, func(q planted) bool { return q.secret }):
			bad = true
		}
	}
	for _, s := range spans {
		if !slices.ContainsFunc(r.spans, func(p planted) bool { return p.secret && p.start < s[1] && s[0] < p.end }) {
			bad = true
			c.harmed++
			break
		}
	}
	return bad
}

// reviewPersonal writes a labelled value of the line kind|country|labels|forms in a carrier.
func (r *review) reviewPersonal(line, carrier string, half int) (kind string) {
	f := strings.Split(line, "|")
	labels, forms := strings.Split(f[2], ";"), strings.Split(f[3], ";")
	if half == 2 {
		r.names["label"] = r.pick(labels...)
	} else {
		r.names["label"] = labels[min(1-half, len(labels)-1)]
	}
	for r.names["value"] == "" || r.valid != nil && !r.valid(f[0], f[1], r.names["value"]) {
		r.names["value"] = r.form(r.pick(forms...))
	}
	r.write(carrier)
	return f[0]
}

// round makes rounds texts of each template.
func (set *reviewSet) round(t *testing.T, half, rounds int, seed uint64, report func(section, text, out string)) (labelled,
	personal, countries, harmless reviewTable) {
	r := &review{maker: maker{rand.New(rand.NewPCG(seed, set.labelled))}, reviewSet: set}
	labelled, personal, countries, harmless = reviewTable{}, reviewTable{}, reviewTable{}, reviewTable{}
	for _, file := range []string{"labelled.txt", "harmless.txt"} {
		table := map[string]reviewTable{"labelled.txt": labelled, "harmless.txt": harmless}[file]
		sections, lines := set.file(t, file, half)
		for _, section := range sections {
			for _, line := range lines[section] {
				for range rounds {
					r.begin()
					r.write(line)
					r.judge(Default(), table.ofName(section), func(text, out string) { report(section, text, out) })
				}
			}
		}
	}
	_, lines := set.file(t, "personal.txt", 2)
	_, split := set.file(t, "personal.txt", half)
	for _, line := range lines[""] {
		for _, carrier := range split["carriers"] {
			for range max(1, rounds/4) {
				r.begin()
				kind := r.reviewPersonal(line, carrier, half)
				c := *personal.ofName(kind)
				r.judge(Default(), personal[kind], func(text, out string) { report(kind, text, out) })
				country := countries.ofName(strings.Split(line, "|")[1])
				country.of += personal[kind].of - c.of
				country.found += personal[kind].found - c.found
			}
		}
	}
	return labelled, personal, countries, harmless
}

// eachMix makes texts of several harmless templates, in one of three with a labelled one among them.
func (set *reviewSet) eachMix(t *testing.T, half, texts int, seed uint64, look func(r *review)) {
	r := &review{maker: maker{rand.New(rand.NewPCG(seed, set.traffic))}, reviewSet: set}
	all := func(file string) (list []string) {
		sections, lines := set.file(t, file, half)
		for _, section := range sections {
			list = append(list, lines[section]...)
		}
		return list
	}
	harmless, labelled := all("harmless.txt"), all("labelled.txt")
	for range texts {
		r.begin()
		plant := r.IntN(36)
		for n := range 12 {
			r.names = make(map[string]string)
			if n == plant {
				r.write(r.pick(labelled...))
			} else {
				r.write(r.pick(harmless...))
			}
			r.text.WriteString("\n\n")
		}
		look(r)
	}
}

// mix judges the texts of eachMix, and returns how many removals are of planted values, and how many are not.
func (set *reviewSet) mix(t *testing.T, half, texts int, seed uint64, report func(section, text, out string)) (right,
	wrong int) {
	set.eachMix(t, half, texts, seed, func(r *review) {
		text := r.text.String()
		out, _ := Default().Text(text)
		before := wrong
		for _, s := range removals(text, out) {
			if slices.ContainsFunc(r.spans, func(p planted) bool { return p.secret && p.start < s[1] && s[0] < p.end }) {
				right++
			} else {
				wrong++
			}
		}
		if wrong > before {
			report("traffic", text, out)
		}
	})
	return right, wrong
}

// percent is a rate, of nothing 100.
func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

func (t *reviewTally) addTally(c reviewTally) {
	*t = reviewTally{t.of + c.of, t.found + c.found, t.texts + c.texts, t.harmed + c.harmed}
}

func (t reviewTable) sum() (s reviewTally) {
	for _, c := range t {
		s.addTally(*c)
	}
	return s
}

func (t reviewTable) print(w *strings.Builder, title string) {
	t["all"] = new(reviewTally)
	*t["all"] = t.sum()
	fmt.Fprintf(w, "\n%-22s %7s %8s %7s %9s\n", title, "values", "found %", "texts", "harmed %")
	for _, name := range slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(percent(t[a].found, t[a].of)-percent(t[a].harmed, t[a].texts),
			percent(t[b].found, t[b].of)-percent(t[b].harmed, t[b].texts)), cmp.Compare(a, b))
	}) {
		c := t[name]
		fmt.Fprintf(w, "%-22s %7d %8.1f %7d %9.1f\n", name, c.of, percent(c.found, c.of), c.texts,
			percent(c.harmed, c.texts))
	}
}

// TestReview prints what is found of made-up secrets and personal data by carrier and kind, and what is
// removed of harmless texts: make redact-review.
func TestReview(t *testing.T) {
	env := os.Getenv("TOOLSCOPE_REDACT_REVIEW") // SEED HALF
	if env == "" {
		t.Skip("make redact-review runs it")
	}
	var seed uint64
	half := 2
	fmt.Sscan(env, &seed, &half)
	show := os.Getenv("TOOLSCOPE_REDACT_SHOW")
	labelled, personal, countries, harmless := firstReview.round(t, half, 12, seed, func(section, text, out string) {
		if show != "" && (show == "all" || strings.Contains(show, section)) {
			t.Logf("%s: %q became %q", section, text, out)
		}
	})
	var w strings.Builder
	labelled.print(&w, "labelled, by carrier")
	personal.print(&w, "personal, by kind")
	for _, c := range countries {
		c.texts = 1
	}
	countries.print(&w, "personal, by country")
	harmless.print(&w, "harmless, by class")
	right, wrong := firstReview.mix(t, half, 1500, seed, func(section, text, out string) {
		if show != "" && (show == "all" || strings.Contains(show, section)) {
			t.Logf("%s: %q became %q", section, text, out)
		}
	})
	fmt.Fprintf(&w, "\ntraffic: %d removals, %.1f %% of them planted\n", right+wrong, percent(right, right+wrong))
	t.Log(w.String())
}

// TestReviewBudgets is a small form of TestReview, the same each time: a bound for each carrier, kind and class.
func TestReviewBudgets(t *testing.T) {
	labelled, personal, _, harmless := firstReview.round(t, 2, 2, 25, func(string, string, string) {})
	for name, c := range labelled {
		want := 98.0
		if w, ok := reviewBudgets[name]; ok {
			want = w
		}
		if got := percent(c.found, c.of); got < want {
			t.Errorf("labelled secrets in %s: %.1f %% are removed, want %v", name, got, want)
		}
	}
	for name, c := range personal {
		if got := percent(c.found, c.of); got < 97 {
			t.Errorf("labelled %s: %.1f %% are removed, want 97", name, got)
		}
	}
	for name, c := range harmless {
		if got := percent(c.harmed, c.texts); got > 1 {
			t.Errorf("harmless texts of %s: %.1f %% are changed, want 1 at most", name, got)
		}
	}
	right, wrong := firstReview.mix(t, 2, 300/raceSaving, 25, func(_, text, out string) {
		t.Logf("%q became %q", text, out)
	})
	if got := percent(right, right+wrong); got < 92 {
		t.Errorf("of %d removals in traffic, %.1f %% are planted, want 92", right+wrong, got)
	}
}

// reviewBudgets are the bounds of carriers that are below 98 percent.
var reviewBudgets = map[string]float64{"browser-steps": 92, "code-java-csharp": 96, "cookies": 97,
	"prose-languages": 96, "sql-params": 92}
