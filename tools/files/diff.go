// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"strings"
)

// diffContext is how many lines a difference shows before and after a change.
const diffContext = 3

// maxDiffSteps bounds the search for the shortest difference; beyond it, what lies
// between the first and the last change is shown as replaced.
const maxDiffSteps = 1000

// block says that the old lines from a to aEnd became the new ones from b to bEnd.
type block struct{ a, aEnd, b, bEnd int }

// diff is the unified difference of two texts, carriage returns left out; "" if
// they are equal.
func diff(name, before, after string) string {
	a, b := splitLines(before), splitLines(after)
	blocks := compare(a, b)
	if len(blocks) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "--- %s\n+++ %s\n", name, name)
	for len(blocks) > 0 {
		n := 1 // changes that share their context are one hunk
		for n < len(blocks) && blocks[n].a-blocks[n-1].aEnd <= 2*diffContext {
			n++
		}
		hunk(&s, a, b, blocks[:n])
		blocks = blocks[n:]
	}
	return s.String()
}

func hunk(s *strings.Builder, a, b []string, blocks []block) {
	first, last := blocks[0], blocks[len(blocks)-1]
	lead := min(diffContext, first.a)
	trail := min(diffContext, len(a)-last.aEnd)
	at := first.a - lead
	fmt.Fprintf(s, "@@ -%s +%s @@\n", span(at, last.aEnd+trail-at), span(first.b-lead, last.bEnd+trail-first.b+lead))
	for _, c := range blocks {
		writeLines(s, " ", a[at:c.a])
		writeLines(s, "-", a[c.a:c.aEnd])
		writeLines(s, "+", b[c.b:c.bEnd])
		at = c.aEnd
	}
	writeLines(s, " ", a[at:at+trail])
}

func writeLines(s *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		s.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
		if !strings.HasSuffix(line, "\n") {
			s.WriteString("\\ No newline at end of file\n")
		}
	}
}

// span is a range of lines as unified differences write it.
func span(before, lines int) string {
	if lines == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, lines)
}

// splitLines splits after each newline, without an empty last part.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	return lines[:len(lines)-1+min(1, len(lines[len(lines)-1]))]
}

// compare finds the blocks in which two lists of lines differ.
func compare(a, b []string) []block {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	aEnd, bEnd := len(a), len(b)
	for aEnd > start && bEnd > start && a[aEnd-1] == b[bEnd-1] {
		aEnd--
		bEnd--
	}
	if aEnd == start && bEnd == start {
		return nil
	}
	blocks, ok := shortest(a[start:aEnd], b[start:bEnd])
	if !ok {
		return []block{{start, aEnd, start, bEnd}}
	}
	for i := range blocks {
		c := &blocks[i]
		c.a, c.aEnd, c.b, c.bEnd = c.a+start, c.aEnd+start, c.b+start, c.bEnd+start
	}
	return blocks
}

// shortest is the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm
// and Its Variations" (1986): x counts old lines, y new ones, k is x-y. It
// reports false if it takes too many steps.
func shortest(a, b []string) ([]block, bool) {
	limit := min(len(a)+len(b), maxDiffSteps)
	reach := make([]int, 2*limit+2) // the furthest x on the diagonal k, at k+limit
	var trail [][]int               // reach before each step, its diagonals from -d to d only
	for d := 0; d <= limit; d++ {
		from, to := max(0, limit-d-1), min(len(reach), limit+d+2)
		trail = append(trail, append([]int(nil), reach[from:to]...))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && reach[limit+k-1] < reach[limit+k+1] {
				x = reach[limit+k+1]
			} else {
				x = reach[limit+k-1] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x++
				y++
			}
			reach[limit+k] = x
			if x >= len(a) && y >= len(b) {
				return walkBack(trail, len(a), len(b), limit), true
			}
		}
	}
	return nil, false
}

// walkBack makes blocks of the steps that led to the end.
func walkBack(trail [][]int, x, y, limit int) (blocks []block) {
	for d := len(trail) - 1; d > 0; d-- {
		from := max(0, limit-d-1)
		at := func(k int) int { return trail[d][limit+k-from] }
		k := x - y
		before := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			before = k + 1
		}
		px := at(before)
		py := px - before
		step := block{px, px, py, py + 1}
		if before == k-1 {
			step = block{px, px + 1, py, py}
		}
		if n := len(blocks); n > 0 && blocks[n-1].a == step.aEnd && blocks[n-1].b == step.bEnd {
			blocks[n-1].a, blocks[n-1].b = step.a, step.b
		} else {
			blocks = append(blocks, step)
		}
		x, y = px, py
	}
	for i, j := 0, len(blocks)-1; i < j; i, j = i+1, j-1 {
		blocks[i], blocks[j] = blocks[j], blocks[i]
	}
	return blocks
}
