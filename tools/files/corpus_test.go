// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEditCorpus makes edits as models make them, with wrong blanks, indentation and line
// endings, in files with near-duplicates. Wherever an edit is made, it is made at the
// place that was meant; the rate at each kind of mistake is logged and has a floor.
func TestEditCorpus(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, kind := range []struct {
		name    string
		distort func(string) string
		least   int // per cent that must be found
	}{
		{"as it is", func(s string) string { return s }, 100},
		{"other line endings", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, 100},
		{"blanks around", func(s string) string { return "\n  " + strings.TrimSpace(s) + "\n\n" }, 90},
		{"spaces for tabs", func(s string) string { return strings.ReplaceAll(s, "\t", "    ") }, 90},
		{"no indentation", func(s string) string { return dedent(s) }, 90},
		{"deeper indentation", func(s string) string { return "\t\t" + strings.ReplaceAll(s, "\n", "\n\t\t") }, 90},
		{"blanks at line ends", func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") }, 90},
		{"one letter wrong", func(s string) string { return strings.Replace(s, "value", "valve", 1) }, 0},
	} {
		const tries = 300
		found := 0
		for n := range tries {
			lines := program(random)
			at := random.IntN(len(lines) - 4)
			count := 2 + random.IntN(3)
			meant := strings.Join(lines[at:at+count], "\n")
			content := strings.Join(lines, "\n") + "\n"
			if n%2 == 1 {
				content = strings.ReplaceAll(content, "\n", "\r\n")
			}
			c, err := find(content, kind.distort(meant), "REPLACED")
			if err != nil {
				if strings.Contains(err.Error(), "add lines before or after") &&
					strings.Count(strings.Join(lines, "\n"), meant) < 2 && kind.least == 100 {
					t.Errorf("%s: %v, though it stands there once", kind.name, err)
				}
				continue
			}
			found++
			got := strings.ReplaceAll(content[:c.start]+"\x00"+content[c.end:], "\r\n", "\n")
			want := strings.Join(lines[:at], "\n") + "\n\x00\n" + strings.Join(lines[at+count:], "\n") + "\n"
			if squeeze(got) != squeeze(want) {
				t.Fatalf("%s: a wrong place\nmeant %q\ngot %q\nin %q", kind.name, meant, content[c.start:c.end], content)
			}
		}
		t.Logf("%s: %d%% of %d edits made", kind.name, found*100/tries, tries)
		if found*100 < kind.least*tries*9/10 { // some texts stand there twice, by chance
			t.Errorf("%s: only %d of %d edits were made", kind.name, found, tries)
		}
	}
}

// program makes lines that look like code, some of them near-duplicates.
func program(random *rand.Rand) (lines []string) {
	for i := range 12 + random.IntN(10) {
		indent := strings.Repeat("\t", 1+i%3)
		switch random.IntN(3) {
		case 0:
			lines = append(lines, fmt.Sprintf("%sif value%d > %d {", indent, random.IntN(9), i))
		case 1:
			lines = append(lines, fmt.Sprintf("%svalue%d = call(%d)", indent, random.IntN(9), i))
		default:
			lines = append(lines, fmt.Sprintf("%svalue%d = call(%d) // once more", indent, random.IntN(9), random.IntN(4)))
		}
	}
	return lines
}

func dedent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// squeeze takes blanks away, which an edit may take with it or leave.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\x00", " \x00 ")), " ")
}
