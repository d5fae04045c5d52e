// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package linefile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll is what there is to read, with "long" for lines that are too long and "…" behind a line without an end.
func readAll(t *testing.T, lines *Lines) (got []string) {
	t.Helper()
	var long *LongError
	for {
		line, err := lines.Next()
		switch {
		case errors.As(err, &long):
			got = append(got, "long")
		case err == io.EOF:
			if rest := lines.Rest(); len(rest) > 0 {
				got = append(got, string(rest)+"…")
			}
			return got
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, string(line))
		}
		if lines.Number() != uint64(len(got)) {
			t.Errorf("got line number %d, want %d", lines.Number(), len(got))
		}
	}
}

// Lines are the same however they are read.
func TestLinesInPieces(t *testing.T) {
	const most = 10
	for text, want := range map[string][]string{
		"":                           nil,
		"\n":                         {""},
		"a\nb\r\n\nc":                {"a", "b\r", "", "c…"},
		"0123456789\n01234567890\nx": {"0123456789", "long", "x…"},
		"01234567890123456789012345\n\nx\n01234567890123": {"long", "", "x", "long"},
		"0123456789":    {"0123456789…"},
		"01234567890\n": {"long"},
	} {
		for name, from := range map[string]io.Reader{
			"at once":      strings.NewReader(text),
			"halves":       iotest.HalfReader(strings.NewReader(text)),
			"bytes":        iotest.OneByteReader(strings.NewReader(text)),
			"with its end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			lines := NewLines(from, most)
			if got := readAll(t, lines); !slices.Equal(got, want) || lines.BytesRead() != int64(len(text)) {
				t.Errorf("%q, %s: got %q of %d bytes, want %q", text, name, got, lines.BytesRead(), want)
			}
		}
	}
}

// A file that grows is read on, and a line that is not complete comes once it is.
func TestLinesOfAFileThatGrows(t *testing.T) {
	var text bytes.Buffer
	lines := NewLines(&text, 20)
	for _, c := range []struct {
		more string
		want []string
	}{{"one\ntw", []string{"one"}}, {"", nil}, {"o\nthree\n", []string{"two", "three"}}, {"four", nil}, {"\n", []string{"four"}}} {
		text.WriteString(c.more)
		var got []string
		for {
			line, err := lines.Next()
			if err != nil {
				break
			}
			got = append(got, string(line))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %q: got %q, want %q", c.more, got, c.want)
		}
	}
}

// Errors name the line; long lines are read in a buffer that grows with them.
func TestEach(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("x", 300_000)
	count := func(int, []byte, bool) error { return nil }
	for name, c := range map[string]struct {
		from io.Reader
		most int
		f    func(int, []byte, bool) error
		want string
	}{
		"long":    {strings.NewReader("a\n" + long + "\n"), 300_000, count, ""},
		"longer":  {strings.NewReader("a\n" + long + "\n"), 299_999, count, "line 2: got more than 299999 bytes"},
		"reading": {io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 10, count, "line 2: broken"},
		"f": {strings.NewReader("a\nb\nc"), 10, func(number int, line []byte, whole bool) error {
			if !whole {
				return fmt.Errorf("%d: %s", number, line)
			}
			return nil
		}, "3: c"},
	} {
		err := Each(c.from, c.most, c.f)
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestOpenRead(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, "line\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.jsonl": "line\n", "b.jsonl.gz": b.String()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := OpenRead(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if closed := f.Close(); string(got) != "line\n" || err != nil || closed != nil {
			t.Errorf("%s: got %q, %v, %v", name, got, err, closed)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "c.gz"), []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "c.gz"} {
		if f, err := OpenRead(filepath.Join(dir, name)); err == nil || f != nil {
			t.Errorf("%s: got %v, want an error", name, f)
		}
	}
}
