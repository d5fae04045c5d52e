// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// change replaces the bytes from start to end of a text.
type change struct {
	start, end int
	with       string
	level      string // how the place was found
}

// find finds the one place of source in content, at the strictest level that finds
// any: as it is; with line endings made alike; without the blanks around it; line
// by line without indentation. Several places at one level are an error, since
// to choose would be to guess.
func find(content, source, target string) (change, error) {
	c, err := findIn(content, source, target)
	if err != nil {
		return c, err
	}
	c.with = endLines(c.with, content)
	return c, nil
}

func findIn(content, source, target string) (change, error) {
	// Text with line endings is compared with a CRLF file at the next level, where
	// half a line ending cannot match.
	half := strings.Contains(content, "\r\n") && strings.ContainsAny(source, "\r\n")
	if at := places(content, source); len(at) > 0 && !half {
		return one(at, "exact", content, func(i int) change { return change{i, i + len(source), target, "exact"} })
	}
	text, raw := normalise(content)
	source, _ = normalise(source)
	target, _ = normalise(target)
	if at := places(text, source); len(at) > 0 {
		return one(at, "line endings", text, func(i int) change {
			return change{raw(i), raw(i + len(source)), target, "line endings made alike"}
		})
	}
	if bare := strings.TrimSpace(source); bare != "" {
		var at []int
		for _, i := range places(text, bare) {
			if bounded(text, i, len(bare), source) {
				at = append(at, i)
			}
		}
		if len(at) > 0 {
			return one(at, "blanks around it", text, func(i int) change {
				return change{raw(i), raw(i + len(bare)), strings.TrimSpace(target), "without the blanks around it"}
			})
		}
	}
	if at, lines := windows(text, source); len(at) > 0 {
		return one(at, "indentation", text, func(i int) change { return reindent(text, i, lines, source, target, raw) })
	}
	return change{}, noMatch(
		"source_text does not stand in the file: " + nearest(text, source) + "read the file again and copy the " +
			"text as it is, without line numbers")
}

// noMatch is the error of an edit or a patch that has no place.
type noMatch string

func (e noMatch) Error() string { return string(e) }

// nearest tells where most of source's first lines stand, if they do: often one line
// only is not as the model remembers it.
func nearest(text, source string) string {
	want := bareLines(source)
	if len(want) == 0 {
		return ""
	}
	lines := strings.Split(text, "\n")
	best, at := 0, 0
	for i := range lines {
		n := 0
		for n < len(want) && i+n < len(lines) && strings.TrimSpace(lines[i+n]) == strings.TrimSpace(want[n]) {
			n++
		}
		if n > best {
			best, at = n, i
		}
	}
	if best == 0 {
		return ""
	}
	return fmt.Sprintf("its first %d of %d lines stand from line %d on, but line %d differs; ", best, len(want), at+1, at+best+1)
}

// one makes the change of the only place; several places are listed by their lines.
func one(at []int, level, text string, build func(int) change) (change, error) {
	if len(at) == 1 {
		return build(at[0]), nil
	}
	var lines []string
	for _, i := range at[:min(len(at), 10)] {
		lines = append(lines, fmt.Sprint(1+strings.Count(text[:i], "\n")))
	}
	return change{}, noMatch(fmt.Sprintf(
		"source_text stands in the file %s (compared by: %s), at line %s: add lines before or after it until it "+
			"stands there once",
		times(len(at)), level, strings.Join(lines, ", ")))
}

// maxPlaces is where counting stops.
const maxPlaces = 1000

func times(n int) string {
	if n >= maxPlaces {
		return fmt.Sprintf("%d times or more", n)
	}
	return fmt.Sprintf("%d times", n)
}

// places finds where part begins in text, overlapping ones included.
func places(text, part string) (at []int) {
	for from := 0; len(at) < maxPlaces; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

// normalise makes CR LF into LF, and gives the function that tells where a byte of
// the result stands in the text.
func normalise(text string) (string, func(int) int) {
	if !strings.Contains(text, "\r\n") {
		return text, func(i int) int { return i }
	}
	var removed []int // the places, in the result, before which a CR is gone
	var b strings.Builder
	for rest := text; rest != ""; {
		i := strings.Index(rest, "\r\n")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		removed = append(removed, b.Len())
		b.WriteByte('\n')
		rest = rest[i+2:]
	}
	return b.String(), func(i int) int {
		n := 0
		for n < len(removed) && removed[n] < i {
			n++
		}
		return i + n
	}
}

// bounded tells whether blanks, or an end of the text, stand where source's own
// blanks were taken off, so that " if " is not found in "elif".
func bounded(text string, at, size int, source string) bool {
	first, _ := utf8.DecodeRuneInString(source)
	last, _ := utf8.DecodeLastRuneInString(source)
	before, n := utf8.DecodeLastRuneInString(text[:at])
	after, m := utf8.DecodeRuneInString(text[at+size:])
	return (!unicode.IsSpace(first) || n == 0 || unicode.IsSpace(before)) &&
		(!unicode.IsSpace(last) || m == 0 || unicode.IsSpace(after))
}

// windows finds where source's lines stand in text if blanks around each line do
// not count. Empty lines around source do not count either.
func windows(text, source string) (at []int, count int) {
	want := bareLines(source)
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
	}
	lines := strings.Split(text, "\n")
	if len(want) == 0 {
		return nil, 0
	}
	for i, offset := 0, 0; i+len(want) <= len(lines) && len(at) < maxPlaces; i++ {
		if matches(lines[i:], want) {
			at = append(at, offset)
		}
		offset += len(lines[i]) + 1
	}
	return at, len(want)
}

func matches(lines, want []string) bool {
	for i, w := range want {
		if strings.TrimSpace(lines[i]) != w {
			return false
		}
	}
	return true
}

// bareLines is the lines of s without empty ones at its beginning and end.
func bareLines(s string) []string {
	lines := strings.Split(s, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// reindent replaces count lines from the byte at on by target's, moved from source's
// indentation to the file's.
func reindent(text string, at, count int, source, target string, raw func(int) int) change {
	end := at
	for range count {
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(text)
		}
	}
	lines := bareLines(target)
	if len(lines) > 0 && strings.HasSuffix(text[at:end], "\n") {
		end-- // the last line's own ending stays; without lines it goes too
	}
	from, to := indentation(bareLines(source)[0]), indentation(text[at:])
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, from); ok && strings.TrimSpace(line) != "" {
			lines[i] = to + rest
		}
	}
	return change{raw(at), raw(end), strings.Join(lines, "\n"), "line by line without indentation"}
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
