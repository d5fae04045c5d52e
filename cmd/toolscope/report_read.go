// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
)

// callAdder is what the lines of a log are handed to.
type callAdder interface{ AddLine(line []byte) error }

// readLog hands the lines of a log on and counts them.
func readLog(from io.Reader, to callAdder, bar *logProgress) (*logCounts, error) {
	counts := &logCounts{}
	lines := newLogLines()
	for {
		n, err := lines.read(from, true, func(number uint64, text []byte) { counts.add(number, to, text) })
		bar.add(n, lines.number)
		if err == io.EOF {
			return counts, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// add hands a line on; a nil text stands for one that is too long.
func (c *logCounts) add(number uint64, to callAdder, text []byte) {
	if text != nil && len(bytes.TrimSpace(text)) == 0 {
		return
	}
	c.Lines++
	if text == nil {
		c.bad(number, fmt.Sprintf("got a line of more than %d bytes", maxLine-1))
		return
	}
	if err := to.AddLine(text); err != nil {
		c.bad(number, err.Error())
		return
	}
	c.Calls++
}

func (c *logCounts) bad(number uint64, reason string) {
	c.Bad++
	if len(c.First) < maxBadLines {
		c.First = append(c.First, badLine{number, display.Clip(reason, 200)})
	}
}

// tellBad says how many lines could not be read, and names the first ones.
func (c *logCounts) tellBad(command string, stderr io.Writer) {
	fmt.Fprintf(stderr, "toolscope %s: %d of %d lines could not be read:\n", command, c.Bad, c.Lines)
	for _, l := range c.First {
		fmt.Fprintf(stderr, "  line %d: %s\n", l.Line, l.Reason)
	}
	if more := c.Bad - uint64(len(c.First)); more > 0 {
		fmt.Fprintf(stderr, "  and %d more\n", more)
	}
}

// logProgress shows on a terminal how far a log was read.
type logProgress struct {
	to    io.Writer
	off   bool
	size  int64 // 0 if nobody knows
	read  int64
	begun time.Time
	shown time.Time
}

const (
	progressPause = 100 * time.Millisecond
	progressWidth = 30
)

// add tells of n bytes more, and of the lines read so far.
func (p *logProgress) add(n int, lines uint64) {
	p.read += int64(n)
	if p.off {
		return
	}
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.shown = now, now
	}
	if now.Sub(p.shown) < progressPause {
		return
	}
	p.shown = now
	perSecond := float64(lines) / now.Sub(p.begun).Seconds()
	text := fmt.Sprintf("%s lines, %s/s", display.Count(lines), display.Count(uint64(perSecond)))
	if p.size > 0 {
		part := min(1, float64(p.read)/float64(p.size))
		full := int(part * progressWidth)
		left := time.Duration(float64(now.Sub(p.begun)) * (1 - part) / max(part, 1e-9))
		text = fmt.Sprintf("%s%s %3.0f %%  %s, %s left", strings.Repeat("█", full), strings.Repeat("░", progressWidth-full), part*100, text, left.Round(time.Second))
	}
	drawBar(p.to, text)
}

// clear removes the bar.
func (p *logProgress) clear() {
	if !p.off && !p.begun.IsZero() {
		clearBar(p.to)
	}
}
