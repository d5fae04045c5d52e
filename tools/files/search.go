// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

type searchInput struct {
	Path       string `json:"path"`
	Text       string `json:"text"`
	Regexp     string `json:"regexp"`
	IgnoreCase bool   `json:"ignore_case"`
	Pattern    string `json:"pattern"`
	Context    int    `json:"context"`
	Limit      *int   `json:"limit"`
	Ignored    bool   `json:"ignored"`
}

// maxContext is how many lines file_search shows around a result.
const maxContext = 10

// search is one run of file_search.
type search struct {
	names   *pattern // nil for all
	next    matcher  // nil to look for names only
	context int
	limit   int

	found   strings.Builder
	results int
	stopped string
	binary  int // files that were passed over
	failed  int
	ignored int // entries that ignore files name
}

// A matcher gives where the first match in content begins; -1 if there is none.
type matcher func(content []byte) int

func (in searchInput) check() (*search, error) {
	limit, err := arg.Number("limit", in.Limit, defaultFound, 1, maxFound)
	s := &search{context: in.Context, limit: limit}
	switch {
	case err != nil:
		return nil, err
	case in.Text == "" && in.Regexp == "" && in.Pattern == "":
		return nil, arg.Invalid("text, regexp and pattern", "none", "text or regexp to find lines, pattern to find names, or both")
	case in.Text != "" && in.Regexp != "":
		return nil, arg.Invalid("regexp", "one beside text", "one of the two")
	case strings.ContainsAny(in.Text, "\r\n"):
		return nil, arg.Invalid("text", "several lines", "text within one line")
	case len(in.Text)+len(in.Regexp)+len(in.Pattern) > maxPath:
		return nil, arg.Invalid("text, regexp and pattern",
			fmt.Sprintf("%d bytes", len(in.Text)+len(in.Regexp)+len(in.Pattern)), fmt.Sprintf("at most %d", maxPath))
	case in.Context < 0 || in.Context > maxContext:
		return nil, arg.Invalid("context", fmt.Sprint(in.Context), fmt.Sprintf("0 to %d", maxContext))
	}
	if in.Pattern != "" {
		p, err := newPattern(in.Pattern)
		if err != nil {
			return nil, arg.Invalid("pattern", fmt.Sprintf("%.80q, which %v", in.Pattern, err),
				"a glob such as *.go, *.{ts,tsx} or src/**/*.go")
		}
		s.names = &p
	}
	return s, s.compile(in)
}

func (s *search) compile(in searchInput) error {
	source := in.Regexp
	switch {
	case in.Text != "" && !in.IgnoreCase:
		text := []byte(in.Text)
		s.next = func(content []byte) int { return bytes.Index(content, text) }
		return nil
	case in.Text != "":
		source = regexp.QuoteMeta(in.Text)
	case source == "":
		return nil
	}
	flags := "(?m)"
	if in.IgnoreCase {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + source)
	if err != nil {
		return arg.Invalid("regexp", fmt.Sprintf("%.80q (%v)", in.Regexp, err),
			"a regular expression of RE2, which has no look-around and no back references")
	}
	s.next = func(content []byte) int {
		if at := re.FindIndex(content); at != nil {
			return at[0]
		}
		return -1
	}
	return nil
}

func (t *Toolset) search(ctx context.Context, in searchInput) (string, error) {
	s, err := in.check()
	if err != nil {
		return "", err
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	info, err := p.stat()
	if err != nil {
		return "", p.explain(err)
	}
	if info.IsDir() {
		err = t.searchDir(ctx, s, p, in.Ignored)
	} else {
		err = t.searchOne(ctx, s, p)
	}
	if err != nil {
		return "", p.explain(err)
	}
	return s.text(), nil
}

func (t *Toolset) searchOne(ctx context.Context, s *search, p place) error {
	if s.next == nil {
		return arg.Invalid("path", "a file", "a directory, or a text to find in the file")
	}
	content, err := t.content(ctx, p)
	if err != nil {
		return err
	}
	text, _, ok := decode(content)
	if !ok {
		return errBinary(content)
	}
	if err := s.lines(p, text); err != fs.SkipAll {
		return err
	}
	return nil
}

func (t *Toolset) searchDir(ctx context.Context, s *search, p place, all bool) error {
	w, err := p.walk(ctx, maxDepth, all, func(e entry) error {
		here := p.child(e.rel)
		switch {
		case e.IsDir() || s.names != nil && !s.names.matches(e.rel):
			return nil
		case s.next == nil:
			return s.addResult(printable(here.shown) + "\n")
		case !e.Type().IsRegular() || e.closed != "":
			return nil
		}
		content, err := t.searched(ctx, here, e)
		if ctx.Err() != nil {
			return over(ctx, "while it searched")
		}
		if err != nil {
			s.failed++
			return nil
		}
		text, _, ok := decode(content)
		if !ok {
			s.binary++
			return nil
		}
		return s.lines(here, text)
	})
	if err != nil {
		return err
	}
	s.ignored = w.skipped
	if w.more {
		s.stopped = fmt.Sprintf("stopped after %d entries: search a path below\n", maxVisited)
	}
	return nil
}

// searched reads a file that a walk has come to; of one that begins as no text, only the
// beginning.
func (t *Toolset) searched(ctx context.Context, p place, e entry) ([]byte, error) {
	release, err := t.hold(ctx, claim{place: p})
	if err != nil {
		return nil, err
	}
	defer release()
	f, info, err := p.root.openFile(e.parent, e.Name())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > sniffed {
		head := make([]byte, sniffed)
		n, _ := f.ReadAt(head, 0) // an error comes again below
		if e, ok := detect(head[:n&^1]); !ok && e == plainUTF8 {
			return head[:n], nil
		}
	}
	return readAll(ctx, f, info.Size())
}

// lines adds the lines in which something matches, each once.
func (s *search) lines(p place, text string) error {
	hits := s.hits([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	if len(hits) == 0 {
		return nil
	}
	lines, shown := splitLines(text), 0
	for i, hit := range hits {
		from, to := max(hit-s.context, shown+1), min(hit+s.context, len(lines))
		if i+1 < len(hits) {
			to = min(to, hits[i+1]-1)
		}
		var b strings.Builder
		if s.context > 0 && shown > 0 && from > shown+1 {
			b.WriteString("--\n")
		}
		for n := from; n <= to; n++ {
			mark := "-"
			if n == hit {
				mark = ":"
			}
			fmt.Fprintf(&b, "%s%s%d%s %s\n", printable(p.shown), mark, n, mark,
				cut(strings.TrimRight(lines[n-1], " \t\r\n"), maxLineBytes))
		}
		shown = to
		if err := s.addResult(b.String()); err != nil {
			return err
		}
	}
	return nil
}

// hits gives the numbers of the lines in which a match begins, one more at most
// than may be shown.
func (s *search) hits(content []byte) (numbers []int) {
	number, counted := 1, 0
	for at := 0; at <= len(content) && len(numbers) <= s.limit-s.results; {
		start := s.next(content[at:])
		if start < 0 {
			break
		}
		start += at
		if start == len(content) && bytes.HasSuffix(content, []byte("\n")) || len(content) == 0 {
			break // behind the last line
		}
		number += bytes.Count(content[counted:start], []byte("\n"))
		counted = start
		numbers = append(numbers, number)
		end := bytes.IndexByte(content[start:], '\n')
		if end < 0 {
			break
		}
		at = start + end + 1
	}
	return numbers
}

// addResult adds a result, and ends the search if there are too many.
func (s *search) addResult(result string) error {
	if s.results == s.limit {
		s.stopped = fmt.Sprintf("stopped after %d results: search for something rarer, in a path below, or with a "+
			"higher limit (at most %d)\n", s.limit, maxFound)
		return fs.SkipAll
	}
	s.results++
	s.found.WriteString(result)
	return nil
}

func (s *search) text() string {
	if s.results == 0 {
		s.found.WriteString("nothing found\n")
	}
	s.found.WriteString(s.stopped)
	for _, left := range []struct {
		n   int
		why string
	}{
		{s.binary, "files were passed over: binary"},
		{s.failed, "files were passed over: over 10 MiB, hard-linked or not readable"},
		{s.ignored, "entries that ignore files name, or .git, were left out: ignored true searches them"},
	} {
		if left.n > 0 {
			fmt.Fprintf(&s.found, "%d %s\n", left.n, left.why)
		}
	}
	return s.found.String()
}
