// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

type searchInput struct {
	Path    string `json:"path"`
	Text    string `json:"text"`
	Pattern string `json:"pattern"`
}

// search is one run of file_search.
type search struct {
	searchInput
	found   strings.Builder
	results int
	visited int
	skipped int // files that are binary, too large or not readable
	stopped string
}

func (t *Toolset) search(ctx context.Context, in searchInput) (string, error) {
	if in.Text == "" && in.Pattern == "" {
		return "", invalid("text and pattern", "neither", "one of them, or both")
	}
	if strings.ContainsAny(in.Text, "\r\n") {
		return "", invalid("text", "several lines", "text within one line")
	}
	if _, err := path.Match(in.Pattern, ""); err != nil {
		return "", invalid("pattern", fmt.Sprintf("%.80q", in.Pattern), "a glob such as *.go or src/**/*.go")
	}
	p, err := t.resolve(in.Path)
	if err != nil {
		return "", err
	}
	info, err := p.stat()
	if err != nil {
		return "", p.explain(err)
	}
	s := &search{searchInput: in}
	if info.Mode().IsRegular() {
		if in.Text == "" {
			return "", invalid("path", "a file", "a directory, or a text to find in the file")
		}
		if err := t.searchFile(ctx, s, p, fs.FileInfoToDirEntry(info)); err != nil && err != fs.SkipAll {
			return "", p.explain(err)
		}
		return s.text(), nil
	}
	err = p.walk(ctx, func(rel string, e fs.DirEntry) error {
		if s.visited++; s.visited > maxVisited {
			s.stopped = fmt.Sprintf("stopped after %d entries: search a path below\n", maxVisited)
			return fs.SkipAll
		}
		if e.IsDir() {
			if e.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if !s.fits(rel) {
			return nil
		}
		if s.Text == "" {
			return s.add(p.child(rel).shown)
		}
		return t.searchFile(ctx, s, p.child(rel), e)
	})
	if err != nil {
		return "", p.explain(err)
	}
	return s.text(), nil
}

func (s *search) fits(rel string) bool {
	switch {
	case s.Pattern == "":
		return true
	case !strings.Contains(s.Pattern, "/"):
		return glob([]string{s.Pattern}, []string{path.Base(rel)})
	}
	return glob(strings.Split(strings.TrimPrefix(s.Pattern, "./"), "/"), strings.Split(rel, "/"))
}

// searchFile adds the lines of a file that hold the text.
func (t *Toolset) searchFile(ctx context.Context, s *search, p place, e fs.DirEntry) error {
	if !e.Type().IsRegular() || credential(p.path) != "" {
		return nil
	}
	content, err := t.content(ctx, p)
	if ctx.Err() != nil {
		return over(ctx, "while it searched")
	}
	if err != nil {
		s.skipped++
		return nil
	}
	n := 0
	for line := range strings.SplitSeq(string(content), "\n") {
		n++
		if strings.Contains(line, s.Text) {
			if err := s.add(fmt.Sprintf("%s:%d: %s", p.shown, n, cut(strings.TrimSpace(line), maxLineBytes))); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a result, and ends the search if there are too many.
func (s *search) add(line string) error {
	if s.results == maxFound {
		s.stopped = fmt.Sprintf("stopped after %d results: search for something rarer, or in a path below\n", maxFound)
		return fs.SkipAll
	}
	s.results++
	s.found.WriteString(strings.ToValidUTF8(line, "\uFFFD") + "\n")
	return nil
}

func (s *search) text() string {
	if s.results == 0 {
		s.found.WriteString("nothing found\n")
	}
	s.found.WriteString(s.stopped)
	if s.skipped > 0 {
		fmt.Fprintf(&s.found, "%d files were passed over: binary, over 10 MiB, or not readable\n", s.skipped)
	}
	return s.found.String()
}

// glob matches a path with a pattern, part by part as [path.Match] does; the
// part "**" stands for any number of parts. It takes at most
// len(pattern) × len(parts) steps.
func glob(pattern, parts []string) bool {
	// reach[i] tells whether the pattern so far matches the first i parts.
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(parts)+1)
		for i, ok := range reach {
			switch {
			case p == "**":
				next[i] = ok || i > 0 && next[i-1]
			case ok && i < len(parts):
				matched, err := path.Match(p, parts[i])
				next[i+1] = matched && !errors.Is(err, path.ErrBadPattern)
			}
		}
		reach = next
	}
	return reach[len(parts)]
}
