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
	"github.com/toolscope/toolscope/stats"
)

// maxLine is the longest line that is read, in bytes, and the size of the one buffer
// that there is.
const maxLine = 1 << 20

// readLog adds the lines of a log up.
func readLog(from io.Reader, log *stats.CallLog, bar *logProgress) (*logCounts, error) {
	counts := &logCounts{}
	number := uint64(0) // of the line
	line := func(text []byte) {
		number++
		if len(bytes.TrimSpace(text)) == 0 {
			return
		}
		counts.Lines++
		if err := log.Add(text); err != nil {
			counts.bad(number, err.Error())
			return
		}
		counts.Calls++
	}
	buffer := make([]byte, maxLine)
	held := 0         // bytes of a line that is not complete
	skipping := false // the rest of a line that is too long
	for {
		n, err := from.Read(buffer[held:])
		bar.add(n, number)
		text := buffer[:held+n]
		for {
			end := bytes.IndexByte(text, '\n')
			if end < 0 {
				break
			}
			if skipping {
				skipping = false
			} else {
				line(text[:end])
			}
			text = text[end+1:]
		}
		if skipping {
			text = nil
		}
		if held = copy(buffer, text); held == len(buffer) {
			number++
			counts.Lines++
			counts.bad(number, fmt.Sprintf("got a line of more than %d bytes", maxLine-1))
			held, skipping = 0, true
		}
		if err == io.EOF {
			if held > 0 {
				line(buffer[:held])
			}
			return counts, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (c *logCounts) bad(number uint64, reason string) {
	c.Bad++
	if len(c.First) < maxBadLines {
		c.First = append(c.First, badLine{number, display.Clip(reason, 200)})
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
	fmt.Fprintf(p.to, "\r\x1b[K%s", text)
}

// clear removes the bar.
func (p *logProgress) clear() {
	if !p.off && !p.begun.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
