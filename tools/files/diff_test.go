// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	const content = "1\n2\n3\n4\n5\n6\n7\n8\n9"
	tests := []struct{ source, target, want string }{
		{"5", "five", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"1\n", "", "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n"},
		{"5\n", "a\nb\n", "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+a\n+b\n 6\n 7\n 8\n"},
		{"5\n6", "5", "@@ -3,7 +3,6 @@\n 3\n 4\n 5\n-6\n 7\n 8\n 9\n\\ No newline at end of file\n"},
		{"9", "nine\n", "@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+nine\n"},
		{content, "", "@@ -1,9 +0,0 @@\n-1\n-2\n-3\n-4\n-5\n-6\n-7\n-8\n-9\n\\ No newline at end of file\n"},
		{"4\n5", "x", "@@ -1,8 +1,7 @@\n 1\n 2\n 3\n-4\n-5\n+x\n 6\n 7\n 8\n"},
	}
	for _, test := range tests {
		c, err := find(content, test.source, test.target)
		if err != nil {
			t.Fatal(err.Error())
		}
		if got := diff("f", content, content[:c.start]+c.with+content[c.end:]); got != "--- f\n+++ f\n"+test.want {
			t.Errorf("%q to %q: got\n%s\nwant\n%s", test.source, test.target, got, test.want)
		}
	}
}

// TestDiffApplies checks that a difference, applied as a patch, makes the one text of
// the other, whatever the lines are.
func TestDiffApplies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := randomLines(random, 30)
		b := a
		for range random.IntN(4) {
			b = mutate(random, b)
		}
		roundTrip(t, a, b)
	}
	// Too different to search for the shortest: still right.
	roundTrip(t, randomLines(random, 2000), randomLines(random, 2000))
}

func randomLines(random *rand.Rand, n int) string {
	var b strings.Builder
	for range random.IntN(n + 1) {
		b.WriteString(string(rune('a'+random.IntN(5))) + "\n")
	}
	return strings.TrimSuffix(b.String(), strings.Repeat("\n", random.IntN(2)))
}

func mutate(random *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	i := random.IntN(len(lines))
	switch random.IntN(3) {
	case 0:
		lines[i] = "new\n"
	case 1:
		lines[i] = ""
	default:
		lines[i] += "more\n"
	}
	return strings.Join(lines, "")
}

func roundTrip(t *testing.T, a, b string) {
	t.Helper()
	d := diff("f", a, b)
	if a == b {
		if d != "" {
			t.Errorf("%q against itself: got %s", a, d)
		}
		return
	}
	parts, err := parsePatch(d)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%q to %q: %v in\n%s", a, b, err, d)
	}
	got, notes, err := parts[0].applyTo(a)
	if err != nil || got != b || len(notes) > 0 {
		t.Fatalf("%q to %q: got %q, %v, %v by\n%s", a, b, got, notes, err, d)
	}
}

// FuzzDiff checks the same for texts of other lines.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("", "--- x\n+++ y\n@@ -1 +1 @@\n")
	f.Add("a\n\nb", "\n\na")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !strings.Contains(a+b, "\r") {
			roundTrip(t, a, b)
		}
	})
}

// FuzzParsePatch checks that no patch panics, and that one that applies to a text
// changes it into another or says why not.
func FuzzParsePatch(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "a\n")
	f.Add("--- x\n+++ x\n@@\n a\n+b\n\\ No newline at end of file\n", "a\nb\na\n")
	f.Add("diff --git a/x b/x\n--- /dev/null\n+++ \"b/\\303\\266\"\n@@ -0,0 +1,2 @@\n+a\n+\n-- \n2.1\n", "")
	f.Fuzz(func(t *testing.T, patch, text string) {
		parts, err := parsePatch(patch)
		if err != nil {
			return
		}
		for _, p := range parts {
			if p.from == "" && p.to == "" {
				t.Errorf("%q: a file without a name", patch)
			}
			if _, _, err := p.applyTo(text); err == nil && p.added()+p.removed() == 0 && len(p.hunks) > 0 {
				t.Errorf("%q: a hunk that changes nothing was applied", patch)
			}
		}
	})
}
