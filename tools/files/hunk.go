// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"strings"
)

// applyTo makes the hunks' changes in a text, and notes where one was not at the
// line it said. Untouched lines keep their endings; new ones get those of most.
func (f *filePatch) applyTo(text string) (string, []string, error) {
	lines := splitLines(text)
	out := lineWriter{ending: lineEnding(text)}
	var notes []string
	done, shift := 0, 0 // lines that are written, and how far hunks were off so far
	for i, h := range f.hunks {
		old := h.side('-')
		at, err := locateHunk(lines, done, h, old, shift)
		if err != nil {
			return "", nil, noMatch(fmt.Sprintf("does not fit hunk %d: %s", i+1, err))
		}
		if said := h.at - 1; h.at > 0 && len(old) > 0 && at != said+shift {
			notes = append(notes, fmt.Sprintf("hunk %d was found at line %d, not %d", i+1, at+1, h.at))
			shift = at - said
		}
		out.write(lines[done:at]...)
		done = at
		for _, l := range h.lines {
			switch l.mark {
			case ' ':
				out.write(lines[done])
				done++
			case '-':
				done++
			case '+':
				out.addLine(l)
			}
		}
	}
	out.write(lines[done:]...)
	return out.String(), notes, nil
}

// lineWriter writes lines, and ends one that had no ending if another follows.
type lineWriter struct {
	strings.Builder
	ending string
	open   bool // the last line has no ending
}

func (w *lineWriter) write(lines ...string) {
	for _, l := range lines {
		if w.open {
			w.WriteString(w.ending)
		}
		w.WriteString(l)
		w.open = !strings.HasSuffix(l, "\n")
	}
}

func (w *lineWriter) addLine(l patchLine) {
	if l.noEnd {
		w.write(l.text)
	} else {
		w.write(l.text + w.ending)
	}
}

// side is the hunk's lines without those that only the other side has.
func (h *hunkPatch) side(own byte) (lines []patchLine) {
	for _, l := range h.lines {
		if l.mark == ' ' || l.mark == own {
			lines = append(lines, l)
		}
	}
	return lines
}

// locateHunk finds the one place of a hunk's old lines at or behind from: where the hunk says,
// else where they stand only once.
func locateHunk(lines []string, from int, h hunkPatch, old []patchLine, shift int) (int, error) {
	if len(old) == 0 {
		// Nothing to compare: "-0,0" is the beginning, "-5,0" is behind line 5.
		switch at := h.at + shift; {
		case len(lines) == 0:
			return 0, nil
		case h.at < 0 || at < from || at > len(lines):
			return 0, errors.New("it adds lines at a place that is not in the file, or not told, and gives no lines around them")
		default:
			return at, nil
		}
	}
	if said := h.at - 1 + shift; h.at > 0 && said >= from && fits(lines, said, old) {
		return said, nil
	}
	var at []int
	for i := from; i+len(old) <= len(lines) && len(at) < maxPlaces; i++ {
		if fits(lines, i, old) {
			at = append(at, i)
		}
	}
	switch {
	case len(at) == 1:
		return at[0], nil
	case len(at) > 1:
		return 0, fmt.Errorf("its old lines stand there %s, none of them at line %d: give more lines around the "+
			"change", times(len(at)), h.at)
	}
	return 0, fmt.Errorf("its old lines do not stand there: %sread the file again",
		firstDifference(lines, max(from, h.at-1+shift), old))
}

func fits(lines []string, at int, old []patchLine) bool {
	if at+len(old) > len(lines) {
		return false
	}
	for i, l := range old {
		if strings.TrimRight(lines[at+i], "\r\n") != strings.TrimRight(l.text, "\r") {
			return false
		}
	}
	return true
}

// firstDifference tells the first line that is not as the hunk has it.
func firstDifference(lines []string, at int, old []patchLine) string {
	for i, l := range old {
		if at+i >= len(lines) {
			return fmt.Sprintf("the file ends at line %d; ", len(lines))
		}
		if strings.TrimRight(lines[at+i], "\r\n") != l.text {
			return fmt.Sprintf("line %d is another one; ", at+i+1)
		}
	}
	return ""
}
