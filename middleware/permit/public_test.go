// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"bufio"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/toolscope/toolscope/middleware/permit/internal/bash"
	"github.com/toolscope/toolscope/middleware/permit/internal/profile"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// publicCommand is a command of a public repository's CI files or documentation; where those had an expression of
// the CI system there is an x. The gate is fitted to those of public.jsonl, not to those of unseen.jsonl.
type publicCommand struct{ Source, Command string }

func publicCommands(t *testing.T, name string) (all []publicCommand) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c publicCommand
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// TestPublicCommands counts how many commands of other people are parsed with every program named, and what rules
// that allow each profile's first level decide. With -v it prints the table of docs/permission.md.
func TestPublicCommands(t *testing.T) {
	for _, name := range []string{"testdata/public.jsonl", "testdata/unseen.jsonl"} {
		commands := publicCommands(t, name)
		t.Run(name, func(t *testing.T) { judgePublic(t, commands) })
	}
}

func judgePublic(t *testing.T, commands []publicCommand) {
	t.Chdir(t.TempDir())
	rules := mustCompile(t, Spec{Default: Ask,
		Rules: []Rule{{Name: "profiles", Effect: Allow, Shell: &Shell{Programs: profile.Programs()}}}})
	parsed, effects, reasons := 0, map[Effect]int{}, map[string]int{}
	for _, c := range commands {
		line := bash.Parse(c.Command)
		if i := slices.IndexFunc(line.Doubts, func(d shell.Doubt) bool {
			return d.Kind == shell.DoubtSyntax || d.Kind == shell.DoubtCharacter || d.Kind == shell.DoubtLimit ||
				d.Kind == shell.DoubtCommand
		}); i >= 0 {
			t.Logf("not parsed: %s: %s: %.200q", line.Doubts[i].Text, c.Source, c.Command)
		} else {
			parsed++
		}
		d := rules.Decide(nil, shellCall(c.Command))
		effects[d.Effect]++
		if d.Effect != Allow {
			reasons[d.Effect.String()+" "+general(d)]++
		}
	}
	t.Logf("%d commands: %d parsed; %d allowed, %d asked, %d denied", len(commands), parsed, effects[Allow],
		effects[Ask], effects[Deny])
	names := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) })
	for _, name := range names[:min(len(names), 25)] {
		t.Logf("%4d %s", reasons[name], name)
	}
	if want := len(commands) * 98 / 100; parsed < want {
		t.Errorf("%d of %d commands are parsed with every program named, want %d", parsed, len(commands), want)
	}
}

var (
	quotedPart = regexp.MustCompile(`(it runs|does not cover|writes to|reading|the option|the variable|setting|the ` +
		`function|the name of a command is computed:|the value of|the value) .*`)
	theFirst = regexp.MustCompile(`^(\S+)( \S+)*: `)
)

// general is the reason of a decision without what it quotes.
func general(d Decision) string {
	text := quotedPart.ReplaceAllString(d.Reason, "$1 …")
	if d.Rule == ruleUnderstood {
		text = theFirst.ReplaceAllString(text, "PROGRAM: ")
	}
	return d.Rule + ": " + text
}
