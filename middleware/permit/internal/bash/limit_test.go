// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/outputs"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import (
	"runtime/debug"
	"strings"
	"testing"
)

// Lines made to hurt the reader: a doubt, no panic, no full stack. The time is what
// the test's own limit allows.
func TestLimits(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	fill := func(part string, size int) string { return strings.Repeat(part, size/len(part)) }
	for _, part := range []string{"(", "$(", "`", "{ ", "if ", "while a; do ", "case a in b) ", "a $(", "\"$(", "${a:-",
		"${a:-${", "$((", "((", "[[ ( ", "[[ ! ", "a <(", "f() ", "f() { ", "! ", "time ", "coproc ", "a[$((", "((-",
		"((1?", "((a=", "$((a[", "function f ", "for x in `", "sh -c '", "eval ", "env ", "sudo ", "xargs ", "find -exec "} {
		size := shell.MaxLength / 8
		if part == "(" || part == "$(" || part == "if " { // the deepest for their length
			size = shell.MaxLength
		}
		if line := Parse(fill(part, size)); line.Understood() {
			t.Errorf("%d bytes of %q are understood", size, part)
		}
	}
	for _, part := range []string{"a;", "a&&", "a|", "a ", "a\n", "<<E\n", "<a ", "\\", "'", "\"", "\\\n", "a=b ", "{a,",
		"a'b' ", "${a}", "$a ", ">", "&", "#", "1+"} {
		Parse(fill(part, shell.MaxLength/4))
	}
	if line := Parse(strings.Repeat("a", shell.MaxLength+1)); line.Understood() || len(line.Commands) > 0 {
		t.Error("a line that is too long is read")
	}
	if line := Parse("echo " + strings.Repeat("a", shell.MaxLength-5)); !line.Understood() {
		t.Errorf("a long word is doubted: %v", line.Doubts)
	}
	if line := Parse(strings.Repeat("a && ", 5000) + "rm x"); !line.Understood() || len(line.Commands) != 5001 {
		t.Errorf("a long list: %d commands, doubts %v", len(line.Commands), line.Doubts)
	}
	if line := Parse(strings.Repeat("a;", 30_000)); line.Understood() || len(line.Commands) > maxCommands {
		t.Errorf("%d commands without a doubt", len(line.Commands))
	}
	if n := len(Parse(strings.Repeat("$X;", 1000)).Doubts); n != shell.MaxDoubts {
		t.Errorf("%d doubts, want %d", n, shell.MaxDoubts)
	}
}

// Parse never panics, stays within its bounds, and says the same twice.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"git status", "a $(b) `c` <(d) | e && f; g & h > i", "x=1 env -S 'a b' sh -c 'c; d'",
		"cat <<E\n$(a)\nE", "find . -exec a {} \\;", "sed 's/[a]/b/e' f", "awk '{print}' f", "git -c a=b c",
		"${a@P} $((a[1])) [[ -v a ]]", "$'\\x41\\u00e9\\cA'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := Parse(s)
		if len(line.Commands) > maxCommands || len(line.Doubts) > shell.MaxDoubts {
			t.Errorf("%d commands, %d doubts", len(line.Commands), len(line.Doubts))
		}
		outputs.Writes(line)
		again := Parse(s)
		if strings.Join(line.Programs(), " ") != strings.Join(again.Programs(), " ") || line.Understood() != again.Understood() {
			t.Errorf("%q is read in two ways", s)
		}
	})
}
