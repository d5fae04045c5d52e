// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// filePatch is what a unified diff says about one file.
type filePatch struct {
	from, to string // "" for /dev/null
	hunks    []hunkPatch
}

func (f *filePatch) creates() bool { return f.from == "" }
func (f *filePatch) deletes() bool { return f.to == "" }

func (f *filePatch) path() string {
	if f.to != "" {
		return f.to
	}
	return f.from
}

func (f *filePatch) added() int   { return f.count('+') }
func (f *filePatch) removed() int { return f.count('-') }

func (f *filePatch) count(mark byte) (n int) {
	for _, h := range f.hunks {
		for _, l := range h.lines {
			if l.mark == mark {
				n++
			}
		}
	}
	return n
}

// hunkPatch is one hunk. Its line number is a hint only, and the counts are not
// kept: models often miscount.
type hunkPatch struct {
	at    int // the first old line, counted from 1, or that before a mere addition; -1 if the hunk does not say
	lines []patchLine
}

type patchLine struct {
	mark  byte // ' ', '-' or '+'
	text  string
	noEnd bool // no newline at its end
}

// parsePatch reads a unified diff, with or without git's headers.
func parsePatch(text string) (parts []filePatch, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	for i := 0; i < len(lines); {
		switch line := lines[i]; {
		case startsFile(lines, i):
			part := filePatch{}
			if part.from, part.to, err = patchNames(lines[i], lines[i+1]); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			if parts = append(parts, part); len(parts) > maxPatched {
				return nil, fmt.Errorf("changes more than %d files", maxPatched)
			}
			i += 2
		case strings.HasPrefix(line, "@@"):
			if len(parts) == 0 {
				return nil, fmt.Errorf("line %d: has a hunk before the first file's --- and +++ lines", i+1)
			}
			f := &parts[len(parts)-1]
			var h hunkPatch
			if h, i, err = parseHunk(lines, i); err != nil {
				return nil, err
			}
			f.hunks = append(f.hunks, h)
		case strings.HasPrefix(line, "rename ") || strings.HasPrefix(line, "copy ") ||
			strings.HasPrefix(line, "GIT binary patch") || strings.HasPrefix(line, "Binary files "):
			return nil, fmt.Errorf("line %d: has %.20q, which is not done here: file_move renames", i+1, line)
		case len(parts) > 0 && len(parts[len(parts)-1].hunks) > 0 && isChange(line):
			return nil, fmt.Errorf("line %d: has a change behind a hunk that was complete by its counts: correct "+
				"them, or leave out the numbers", i+1)
		default:
			i++ // a header of git, or what people write around a patch
		}
	}
	if len(parts) == 0 {
		return nil, errors.New("has no --- and +++ lines")
	}
	for _, f := range parts {
		if len(f.hunks) == 0 && !f.creates() {
			return nil, fmt.Errorf("has no hunk for %.200q", f.path())
		}
	}
	return parts, nil
}

// isChange tells whether a line could be one of a hunk's; "-- " begins a signature.
func isChange(line string) bool {
	return strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") && strings.TrimSpace(line) != "--"
}

// startsFile tells whether the lines from i on are the head of a file.
func startsFile(lines []string, i int) bool {
	return strings.HasPrefix(lines[i], "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") &&
		(i+2 == len(lines) || strings.HasPrefix(lines[i+2], "@@") || strings.HasPrefix(lines[i+2], "diff ") || lines[i+2] == "")
}

func patchNames(minus, plus string) (from, to string, err error) {
	if from, err = patchName(minus[len("--- "):]); err != nil {
		return "", "", err
	}
	if to, err = patchName(plus[len("+++ "):]); err != nil {
		return "", "", err
	}
	// git's prefixes, which are no directories
	a, isA := strings.CutPrefix(from, "a/")
	b, isB := strings.CutPrefix(to, "b/")
	if (isA || from == "") && (isB || to == "") {
		from, to = a, b
	}
	switch {
	case from == "" && to == "":
		return "", "", errors.New("names /dev/null twice")
	case from != "" && to != "" && from != to:
		return "", "", fmt.Errorf(
			"renames %.100q to %.100q, which is not done here: use file_move and then the new name on both lines", from, to)
	}
	return from, to, nil
}

// patchName reads a name, perhaps quoted as git does, perhaps with a time behind a tab.
func patchName(s string) (string, error) {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimRight(s, " ")
	if strings.HasPrefix(s, `"`) {
		plain, err := strconv.Unquote(s)
		if err != nil {
			return "", fmt.Errorf("has the name %.100s with wrong quotes", s)
		}
		s = plain
	}
	if s == "/dev/null" {
		return "", nil
	}
	if s == "" {
		return "", errors.New("has an empty name")
	}
	return s, nil
}

// parseHunk reads the hunk that begins at line i, and returns the line behind it.
func parseHunk(lines []string, i int) (h hunkPatch, next int, err error) {
	head := i
	var left hunkCounts
	h.at, left = parseHead(lines[i])
	for i++; i < len(lines) && !left.endAt(lines, i); i++ {
		line := lines[i]
		if strings.HasPrefix(line, "\\") { // No newline at end of file
			if n := len(h.lines); n > 0 {
				h.lines[n-1].noEnd = true
			}
			continue
		}
		if line == "" { // a model, or a mail program, took the blank away
			line = " "
		}
		mark := line[0]
		if mark != ' ' && mark != '+' && mark != '-' {
			if left.full() {
				break
			}
			return h, i, fmt.Errorf("line %d: begins with %q, where a hunk's lines begin with a blank, + or -", i+1, mark)
		}
		left.countLine(mark)
		h.lines = append(h.lines, patchLine{mark: mark, text: line[1:]})
	}
	if !slices.ContainsFunc(h.lines, func(l patchLine) bool { return l.mark != ' ' }) {
		return h, i, fmt.Errorf("line %d: has a hunk that changes nothing", head+1)
	}
	return h, i, nil
}

// hunkCounts are how many lines a hunk still has by its head, which may be wrong.
type hunkCounts struct {
	known              bool
	oldLines, newLines int
}

func (c *hunkCounts) full() bool { return c.oldLines <= 0 && c.newLines <= 0 }

func (c *hunkCounts) countLine(mark byte) {
	if mark != '+' {
		c.oldLines--
	}
	if mark != '-' {
		c.newLines--
	}
}

// endAt reports whether line i is none of the hunk's.
func (c *hunkCounts) endAt(lines []string, i int) bool {
	if endsHunk(lines, i) && !(c.known && c.oldLines == 1 && c.newLines == 1) {
		return true
	}
	line := lines[i]
	return c.full() && (line == "" && (c.known || endsHunk(lines, i+1)) || strings.HasPrefix(line, "-") && !isChange(line))
}

// endsHunk tells whether something else than a line of a hunk stands at i.
func endsHunk(lines []string, i int) bool {
	return i >= len(lines) || strings.HasPrefix(lines[i], "@@") || strings.HasPrefix(lines[i], "diff --git ") ||
		startsFile(lines, i)
}

// parseHead reads "@@ -12,3 +12,4 @@"; without numbers at is -1 and the counts are not known.
func parseHead(line string) (at int, counts hunkCounts) {
	oldSpan, rest, _ := strings.Cut(strings.TrimPrefix(line, "@@ -"), " +")
	newSpan, _, _ := strings.Cut(rest, " ")
	at, oldLines, ok := parseSpan(oldSpan)
	_, newLines, alsoNew := parseSpan(newSpan)
	if !ok || !alsoNew {
		return -1, hunkCounts{}
	}
	return at, hunkCounts{true, oldLines, newLines}
}

// parseSpan reads "12,3"; the count is 1 if left out.
func parseSpan(s string) (at, count int, ok bool) {
	first, second, both := strings.Cut(s, ",")
	at, err := strconv.Atoi(first)
	count = 1
	if err == nil && both {
		count, err = strconv.Atoi(second)
	}
	return at, count, err == nil && at >= 0 && count >= 0
}
