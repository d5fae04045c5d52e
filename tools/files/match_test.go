// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	tests := []struct{ name, content, source, target, want, level string }{
		{"exact", "a\nb\nc\n", "b", "x", "a\nx\nc\n", "exact"},
		{"exact with newline", "a\nb\nc\n", "b\n", "", "a\nc\n", "exact"},
		{"whole file", "a", "a", "", "", "exact"},
		{"BOM stays", "\ufeffa\nb\n", "a", "x", "\ufeffx\nb\n", "exact"},
		{"CRLF stays", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n", "line endings made alike"},
		{"CRLF, one line into two", "a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", "exact"},
		{"CRLF, half an ending", "a\r\nb\r\n", "\nb", "\nx", "a\r\nx\r\n", "line endings made alike"},
		{"CRLF asked of LF", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n", "line endings made alike"},
		{"mixed endings elsewhere stay", "a\nb\r\nc\r\n", "b\nc", "x", "a\nx\r\n", "line endings made alike"},
		{"blanks around", "\tfoo()\n", "    foo()\n\n", "    bar()\n\n", "\tbar()\n", "without the blanks around it"},
		{"indentation", "func f() {\n\t\tif x {\n\t\t\ty()\n\t\t}\n}\n", "if x {\n  y()\n}\n", "if z {\n\ty()\n}\n",
			"func f() {\n\t\tif z {\n\t\t\ty()\n\t\t}\n}\n", "line by line without indentation"},
		{"indentation taken off", "  a\n  b\n", "    a\n    b", "    c\n      d", "  c\n    d\n",
			"line by line without indentation"},
		{"lines removed", "x\n  a\n  b\ny\n", "a\nb", "", "x\ny\n", "line by line without indentation"},
		{"last line without newline", "x\n  a\n  b", "a\nb", "c", "x\n  c", "line by line without indentation"},
		{"indentation in CRLF", "x\r\n\ta\r\n\tb\r\ny\r\n", "a\nb", "c\nd", "x\r\n\tc\r\n\td\r\ny\r\n",
			"line by line without indentation"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := find(test.content, test.source, test.target)
			if err != nil {
				t.Fatal(err.Error())
			}
			if got := test.content[:c.start] + c.with + test.content[c.end:]; got != test.want || c.level != test.level {
				t.Errorf("got %q by %q, want %q by %q", got, c.level, test.want, test.level)
			}
		})
	}
}

func TestFindRefuses(t *testing.T) {
	tests := []struct{ name, content, source, want string }{
		{"absent", "a\n", "b", "does not stand"},
		{"only blanks", "a\nb\n", "\t\t", "does not stand"},
		{"twice", "a\nb\na\n", "a", "2 times (compared by: exact), at line 1, 3"},
		{"overlapping", "aaa", "aa", "2 times"},
		{"twice with other endings", "a\r\nb\r\na\r\nb\r\n", "a\nb", "compared by: line endings"},
		{"twice without blanks", "\tx()\n\tx()\n", " x()\n ", "compared by: blanks around it"},
		{"twice without indentation", "\ta\n\tb\n  a\n  b\n", "a\nb", "compared by: indentation"},
		{"part of a word", "elif x\n", " if x", "does not stand"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := find(test.content, test.source, "new")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %+v and %v, want an error that says %q", c, err, test.want)
			}
		})
	}
}

// FuzzFind checks that an edit changes one place, and that in a file of CRLF
// lines no other line ending appears.
func FuzzFind(f *testing.F) {
	f.Add("a\r\n\tb\r\nc\r\n", "b\nc", "x\ny")
	f.Add("a\n a\n", " a ", "")
	f.Add("x\n  a\n  b", "a\nb\n", "\n\n")
	f.Fuzz(func(t *testing.T, content, source, target string) {
		if source == "" {
			return
		}
		c, err := find(content, source, target)
		if err != nil {
			return
		}
		if c.start < 0 || c.end < c.start || c.end > len(content) {
			t.Fatalf("got the range %d to %d of %d bytes", c.start, c.end, len(content))
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := bare(content[c.start:c.end]), bare(source); got != want {
			t.Errorf("replaced %q for %q", content[c.start:c.end], source)
		}
		pure := strings.Count(content, "\n") > 0 && strings.Count(content, "\r\n") == strings.Count(content, "\n") &&
			strings.Count(content, "\r") == strings.Count(content, "\n")
		if edited := content[:c.start] + c.with + content[c.end:]; pure && !strings.Contains(target, "\r") &&
			strings.Count(edited, "\r\n") != strings.Count(edited, "\n") {
			t.Errorf("%q has other line endings than %q", edited, content)
		}
		_ = diff("f", content, content[:c.start]+c.with+content[c.end:])
	})
}

func BenchmarkFind(b *testing.B) {
	var content strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&content, "\tline %d\r\n", i)
	}
	for b.Loop() {
		if _, err := find(content.String(), "line 1000\n  line 1001", "x"); err != nil {
			b.Fatal(err)
		}
	}
}
