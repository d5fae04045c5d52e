// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/toolkit"
)

const exampleFile = `version: 1
enforce: true
default: ask
workspace: [., /srv/data]
shells:
  run_in_sandbox: cmd
rules:
  - name: git-read
    effect: allow
    shell:
      prefix: [git status, git log, git diff]
  - name: no-prod
    effect: deny
    tools: ["db_*"]
    when: args.database startsWith "prod"
    for_model: production databases are off limits; use the staging copy
  - name: big-payment
    effect: ask
    tools: pay
    risks: [high]
    read_only: false
    where:
      /amount: value > 100
    paths: {arguments: [/receipt], inside: true}
    expires: 2099-12-31
`

func TestParse(t *testing.T) {
	rules, err := Parse("permit.yaml", []byte(exampleFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, arguments string
		want            string
	}{
		{"run_in_sandbox", `{"cmd":"git status"}`, "allow git-read"},
		{"run_in_sandbox", `{"cmd":"git status; id"}`, "ask not_covered"},
		{"run_in_sandbox", `{"cmd":"id"}`, "ask "},
		{"bash", `{"command":"sudo id"}`, "ask "}, // no shell here: shells names others
		{"db_query", `{"database":"production"}`, "deny no-prod"},
		{"db_query", `{"database":"staging"}`, "ask "},
		{"pay", `{"amount":200,"receipt":"/srv/data/r"}`, "ask big-payment"},
	} {
		d := rules.Decide(&toolkit.Definition{Risk: toolkit.RiskHigh}, toolkit.Call{Name: c.name, Arguments: []byte(c.arguments)})
		if got := d.Effect.String() + " " + d.Rule; got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.arguments, got, c.want)
		}
	}
	again, err := Parse("", []byte(exampleFile))
	if err != nil || again.Version() != rules.Version() {
		t.Errorf("the same file has the versions %s and %s (%v)", rules.Version(), again.Version(), err)
	}
	if empty, err := Parse("", []byte("{}")); err != nil || empty.Decide(nil, shellCall("sudo ls")).Effect != Deny {
		t.Errorf("{} is not the built-in rules: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	rule := "rules:\n  - name: a\n    effect: deny\n"
	for _, c := range []struct{ file, want string }{
		{"[1]", "f.yaml:1: got a list, want a mapping"},
		{"a: [", "f.yaml:2: not YAML: did not find expected node content"},
		{"ruels: []", `f.yaml:1: ruels: got an unknown field (did you mean "rules"?), want one of version, enforce, ` +
			`builtin, default, workspace, shells, rules`},
		{"version: 2", `f.yaml:1: version: got "2", want 1`},
		{"enforce: maybe", `f.yaml:1: enforce: got "maybe", want true or false`},
		{"default: allow\ndefault: deny", `f.yaml:2: default: got the field a second time, want it once`},
		{"\n\ndefault: yes", `f.yaml:3: default: got "yes", want allow, ask or deny`},
		{"rules: {a: b}", "f.yaml:1: rules: got a mapping, want a list"},
		{rule + "    effekt: deny", `f.yaml:4: rules[0].effekt: got an unknown field (did you mean "effect"?), want ` +
			`one of name, effect, `},
		{rule + "    tools: [a, [b]]", `f.yaml:4: rules[0].tools[1]: got a list, want a text`},
		{rule + "    tools: ['']", `f.yaml:4: rules[0].tools: got a pattern of 0 bytes`},
		{rule + "    risks: [huge]", `f.yaml:4: rules[0].risks: got "huge", want low, medium or high`},
		{rule + "    when: args.x >", `f.yaml:4: rules[0].when: got an expression that does not compile`},
		{rule + "    when: nosuch(args.x)", `f.yaml:4: rules[0].when: got an expression that does not compile`},
		{rule + "    when: len(args)", `f.yaml:4: rules[0].when: got an expression that does not compile`},
		{rule + "    where:\n      amount: value > 1", `f.yaml:5: rules[0].where: got "amount", want a JSON Pointer`},
		{rule + "    paths: {}", `f.yaml:4: rules[0].paths: got neither or both of inside and outside, want one`},
		{rule + "    shell: {}", `f.yaml:4: rules[0].shell: got no condition`},
		{rule + "    shell: {prefix: ['a; b']}", `f.yaml:4: rules[0].shell.prefix: got "a; b", want the first words of a command`},
		{rule + "    expires: tomorrow", `f.yaml:4: rules[0].expires: got "tomorrow", want a date`},
		{rule + "  - {name: a, effect: ask}", `f.yaml:4: rules[1].name: got "a" twice, want a name of its own`},
		{rule + "  - {name: ask-rm, effect: ask}", `f.yaml:4: rules[1].name: got "ask-rm", want a name that no built-in rule has`},
		{rule + "  - {name: 'a b', effect: ask}", `f.yaml:4: rules[1].name: got "a b", want 1 to 64 letters`},
		{rule + "  - {name: not_covered, effect: ask}",
			`f.yaml:4: rules[1].name: got "not_covered", want a name that the gate does not use itself`},
		{"", "f.yaml: got an empty file, want rules, or {} for the built-in rules alone"},
		{"\ufeff# half written\n", "f.yaml: got an empty file, want rules"},
		{"---\n", "f.yaml:2: got an empty document, want rules"},
		{"rules:\n", "f.yaml:1: rules: got "},
		{"workspace:\n", "f.yaml:1: workspace: got "},
		{rule + "  - {name: b}", `f.yaml:4: rules[1].effect: got "", want allow, ask or deny`},
		{rule + "  - {name: b, effect: allow, shell: {programs: ['*']}}",
			`f.yaml:4: rules[1].shell.programs: got "*" in a rule that allows, want names`},
		{rule + "  - {name: b, effect: allow, shell: {arguments: [a]}}",
			`rules[1].shell: got a rule that allows without prefix, programs or profiles`},
		{rule + "  - {name: b, effect: allow, shell: {programs: [a], writes: [/a]}}",
			`rules[1].shell.writes: got it in a rule that allows`},
		{"a: &a [x]\nb: *a", "f.yaml:1: a: got an anchor or alias, want the value itself"},
		{"rules: &r [*r]", "f.yaml:1: rules: got an anchor or alias"},
		{"rules: !!binary aGVsbG8=", "got the tag"},
		{"default: !x allow", "got the tag"},
		{"default: allow\n---\ndefault: deny", "f.yaml:2: got a second document, want one"},
		{strings.Repeat("[", 40) + strings.Repeat("]", 40), "got a deeper nesting, want at most 32 levels"},
		{strings.Repeat("# x\n", 300_000), "f.yaml: got 1200000 bytes, want at most 1048576"},
		{"rules:\n" + strings.Repeat("  - {name: a, effect: deny}\n", 1001), "got 1001 rules, want at most 1000"},
	} {
		_, err := Parse("f.yaml", []byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: error %v, want %q", c.file, err, c.want)
			continue
		}
		if fe := (*strictyaml.Error)(nil); !errors.As(err, &fe) {
			t.Errorf("%.80q: a %T, want a *strictyaml.Error", c.file, err)
		}
	}
	// All that is wrong is said at once.
	_, err := Parse("f.yaml", []byte("enforce: 1\ndefault: 2\nworkspace: {}\n"))
	if n := strings.Count(fmt.Sprint(err), "\n"); n != 2 {
		t.Errorf("got %v, want three errors", err)
	}
	if _, err := Load("no such file"); err == nil {
		t.Error("a file that is not there is loaded")
	}
}

func TestWarnings(t *testing.T) {
	rules, err := Parse("", []byte(`
rules:
  - {name: a, effect: allow, tools: [web_get]}
  - {name: b, effect: deny, tools: [web_get]}
  - {name: c, effect: deny, tools: ["db_*"]}
  - {name: d, effect: allow, tools: [db_read], read_only: true}
  - {name: e, effect: allow, shell: {prefix: [python3]}}
  - {name: f, effect: ask, tools: [x], expires: 2001-01-01}
  - {name: g, effect: ask, tools: [y], when: args.a == 1}
  - {name: h, effect: ask, tools: [run_it], shell: {programs: [x]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(rules.Warnings(), "\n")
	want := `rules a and b contradict each other: the same conditions, allow and deny; deny wins
rule d (allow) never speaks: rule c (deny) speaks of the same tools without a condition
rule e allows python3, which runs any code that a file holds
rule f ended on 2001-01-01T00:00:00Z
rule h is about shell commands, and the tool run_it is no shell: name it under shells`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Rules never panic, whatever the file.
func FuzzRules(f *testing.F) {
	f.Add([]byte(exampleFile))
	f.Add([]byte("rules: [{name: a, effect: deny, when: 'args.x[0] > 1', where: {/a~1b/0: 'value == nil'}}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := Parse("f", text)
		if err != nil {
			return
		}
		rules.Decide(nil, shellCall("git status; rm x"))
		rules.Decide(nil, toolkit.Call{Name: "x", Arguments: text})
	})
}

// Decisions never panic, whatever the arguments, and a line that is denied is denied
// in a member of any case, too.
func FuzzDecide(f *testing.F) {
	rules, err := Parse("", []byte(exampleFile))
	if err != nil {
		f.Fatal(err)
	}
	builtin := mustCompile(f, Spec{})
	f.Add("bash", `{"command":"ls"}`)
	f.Add("pay", `{"amount":1e400,"receipt":["a",null]}`)
	f.Fuzz(func(t *testing.T, name, arguments string) {
		for _, r := range []*Rules{rules, builtin} {
			d := r.Decide(nil, toolkit.Call{Name: name, Arguments: []byte(arguments)})
			if d.Effect == Unsaid || d.Effect > Allow && d.Message == "" {
				t.Errorf("%q %q: %+v", name, arguments, d)
			}
		}
	})
}
