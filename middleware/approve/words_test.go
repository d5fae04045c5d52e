// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
)

// triggerOf returns the trigger of a call of the harmless tool; "" if it ran without a question.
func (h *house) triggerOf(t testing.TB, arguments string) string {
	t.Helper()
	if _, err := h.call(t.Context(), "read", arguments); err != nil {
		t.Fatal(err)
	}
	tags, _ := h.last()
	return tags["approval.trigger"]
}

func yes(context.Context, approve.Request) (approve.Answer, error) {
	return approve.Answer{Approved: true, By: "ada"}, nil
}

func TestSensitiveWords(t *testing.T) {
	byDefault := newHouse(t, approve.Options{Askers: []approve.Asker{approve.AskerFunc(yes)}})
	for _, arguments := range []string{
		`{"password":"x"}`, `{"newPassword":"x"}`, `{"PASSWORD_FILE":1}`, `{"api_key":"x"}`, `{"APIKey":"x"}`, `{"apikey":"x"}`,
		`{"keyId":"x"}`, `{"key2":"x"}`, `{"KEYId":"x"}`, `{"a":{"b":[{"client-secret":""}]}}`, `{"q":"token"}`,
		`{"sql":"DrOp TABLE x"}`,
		`{"sql":"select 1;DROP/**/TABLE x"}`, `{"cmd":"destroy-all"}`, `{"op":"DeleteItem"}`, `{"text":"a\ndelete it"}`,
		`{"text":"\u0064elete it"}`, `{"text":"{\"a\":\"b\\ndelete it\"}"}`, `"delete"`, `delete`, `{"x":"édrop"}`,
		`{"x":"\`, `{"x\u00":"key"}`,
	} {
		got := byDefault.triggerOf(t, arguments)
		if want := "arguments"; got != want && arguments != `{"x":"\` {
			t.Errorf("%s: got the trigger %q, want %q", arguments, got, want)
		}
	}
	for _, arguments := range []string{
		``, `{}`, `{"path":"monkey/keyboard.go"}`, `{"max_tokens":100}`, `{"word":"tokenizer"}`, `{"a":"secretary"}`,
		`{"a":"dropdown"}`,
		`{"a":"raindrop"}`, `{"a":"undeleted"}`, `{"a":"donkey"}`, `{"text":"\\keyboard"}`,
	} {
		if got := byDefault.triggerOf(t, arguments); got != "" {
			t.Errorf("%s: got the trigger %q, want none", arguments, got)
		}
	}
	own := newHouse(t, approve.Options{SensitiveWords: []string{"salary"}, Askers: []approve.Asker{approve.AskerFunc(yes)}})
	if a, b := own.triggerOf(t, `{"of":"BaseSalary"}`), own.triggerOf(t, `{"password":"x"}`); a != "arguments" || b != "" {
		t.Errorf("got the triggers %q and %q, want those of the application's own words only", a, b)
	}
	for _, o := range []approve.Options{
		{SensitiveWords: []string{""}}, {SensitiveWords: []string{"Password"}}, {SensitiveWords: []string{"api_key"}},
		{SensitiveWords: make([]string, 101)}, {SensitiveWords: []string{"x"}, WithoutSensitive: true},
	} {
		if _, err := approve.New(o); err == nil || !strings.Contains(err.Error(), "approve: Options.SensitiveWords") {
			t.Errorf("%q: got %v, want an error that names the field", o.SensitiveWords, err)
		}
	}
}

// ordinary are calls that agents make all day, by kind; %s is a word, and some of them say what asks.
var ordinary = map[string][]string{
	"files": {
		`{"path":"src/%s/%s.go"}`, `{"path":"%s","depth":3}`, `{"pattern":"**/*%s*.ts"}`, `{"query":"func %s","path":"%s"}`,
		`{"path":"docs/%s.md","offset":10,"limit":200}`, `{"path":"%s/package.json"}`,
	},
	"commands": {
		`{"command":"go test ./%s/... -run %s"}`, `{"command":"git log --oneline -5 -- %s"}`, `{"command":"ls -la %s"}`,
		`{"command":"grep -rn %s %s | head"}`, `{"command":"npm run build -- --filter %s"}`, `{"command":"git diff %s"}`,
		`{"command":"docker ps --filter name=%s"}`, `{"command":"kubectl get pods -n %s"}`,
	},
	"queries": {
		`{"sql":"SELECT id, %s FROM %s WHERE created > ?","args":["2026-01-01"]}`, `{"sql":"SELECT count(*) FROM %s GROUP BY %s"}`,
		`{"table":"%s"}`, `{"sql":"SELECT * FROM %s JOIN %s USING (id) LIMIT 10"}`,
	},
	"web and data": {
		`{"query":"%s %s 2026"}`, `{"url":"https://example.com/%s/%s?page=2"}`, `{"place":"%s"}`, `{"expression":"12*(3+4)"}`,
		`{"max_tokens":4096,"prompt":"Summarise the %s of the %s"}`, `{"json":{"%s":[1,2,3]},"path":"$.%s[0]"}`,
	},
	"texts": {
		`{"title":"The %s is slow","body":"When I open the %s, the %s takes seconds. It began with the last %s."}`,
		`{"to":"ada@example.com","subject":"%s","text":"Please look at the %s before Friday.\n\nThe %s and the %s are done."}`,
		`{"path":"README.md","content":"# %s\n\nThis %s reads a %s and prints the %s.\n"}`,
		`{"path":"x.go","content":"for %s, value := range %s {\n\treturn %s(value)\n}"}`,
	},
}

// words are taken in turn by chance: common names of files, columns and subjects, those that ask and those that look
// like them included (4 of 97 ask by themselves).
var words = strings.Fields(`account address agenda app archive article author balance batch billing branch budget build
	button cache calendar cart category chart client column comment config contact content contract country currency
	customer dashboard date debug deploy design device discount document dropdown editor email employee event example
	export feature file filter folder form gallery graph group handler header history hotkey image import index inventory
	invoice item job journey key keyboard label language layout library list log login map market member menu message
	metric model monkey network note offer order owner page parser password payment person plan price token tokenizer delete
	product`)

// TestOrdinaryCallsAreSeldomAskedAbout measures how many ordinary calls sensitive words ask about, next to words looked
// for anywhere, as system C does. The calls are made with the same seed each time.
func TestOrdinaryCallsAreSeldomAskedAbout(t *testing.T) {
	asks := 0
	p, err := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(
		func(ctx context.Context, r approve.Request) (approve.Answer, error) { asks++; return yes(ctx, r) })}})
	if err != nil {
		t.Fatal(err)
	}
	handle := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	random := rand.New(rand.NewPCG(1, 2))
	const each = 2000
	all, allAnywhere := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(ordinary)) {
		templates, anywhere := ordinary[kind], 0
		asks = 0
		for range each {
			template := templates[random.IntN(len(templates))]
			for strings.Contains(template, "%s") {
				template = strings.Replace(template, "%s", words[random.IntN(len(words))], 1)
			}
			if !json.Valid([]byte(template)) {
				t.Fatal(template)
			}
			if _, err := handle(t.Context(), toolkit.Call{Name: "read", Arguments: []byte(template)}); err != nil {
				t.Fatal(err)
			}
			for _, w := range []string{"password", "secret", "token", "key", "delete", "drop", "destroy"} {
				if strings.Contains(strings.ToLower(template), w) {
					anywhere++
					break
				}
			}
		}
		all, allAnywhere = all+asks, allAnywhere+anywhere
		t.Logf("%-12s %5.1f %% asked, %5.1f %% with words anywhere", kind, 100*float64(asks)/each, 100*float64(anywhere)/each)
	}
	total := float64(each * len(ordinary))
	t.Logf("%-12s %5.1f %% asked, %5.1f %% with words anywhere", "all", 100*float64(all)/total, 100*float64(allAnywhere)/total)
	if share := float64(all) / total; share > 0.10 || all*2 > allAnywhere {
		t.Errorf("got %.1f %% of ordinary calls asked, want at most 10 %%, and half of the %d with words anywhere",
			100*share, allAnywhere)
	}
}

func BenchmarkSensitiveWords(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p, err := approve.New(approve.Options{Askers: []approve.Asker{approve.AskerFunc(yes)}})
			if err != nil {
				b.Fatal(err)
			}
			handle := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
			call := toolkit.Call{Name: "read", Arguments: []byte(`{"text":"` + strings.Repeat("some words ", size/11) + `"}`)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := handle(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
