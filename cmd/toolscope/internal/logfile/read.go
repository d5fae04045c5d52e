// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/linefile"
)

// Counts are the numbers of lines of a log.
type Counts struct {
	Lines uint64    `json:"lines"` // without empty ones, and those that are no calls
	Calls uint64    `json:"calls"`
	Bad   uint64    `json:"bad_lines"`
	First []BadLine `json:"first_bad_lines,omitempty"`

	// Untimed are calls of which the log says that they ran, and not for how long: they count as 0.
	Untimed uint64 `json:"untimed_calls,omitempty"`
	// Torn is how many bytes a last line has that is not complete, and was left out: the writer was killed.
	Torn       int    `json:"torn_bytes,omitempty"`
	Dropped    uint64 `json:"dropped_lines,omitempty"`    // that the writer of the log dropped
	Unfinished uint64 `json:"unfinished_calls,omitempty"` // that began, and whose end is not in the log
	began      uint64
	converter  transcript.Converter // for the lines of other forms
	paired     uint64               // ends of calls whose beginning is in the log as well
}

// BadLine is a line that could not be read, and why.
type BadLine struct {
	Line   uint64 `json:"line"`
	Reason string `json:"reason"`
}

// recordEnd is the kind of the lines of calls that have ended.
const recordEnd = "end"

// maxBadLines is how many bad lines are named.
const maxBadLines = 5

// A LineAdder receives the lines of a log.
type LineAdder interface{ AddLine(line []byte) error }

// An OtherAdder is a [LineAdder] that also receives the lines of recordings that are no call's end.
type OtherAdder interface{ AddOther(line []byte) }

// Read hands the lines of a log to an [LineAdder] and counts them, until the log ends or stop returns
// an error.
func Read(from io.Reader, to LineAdder, bar *Progress, counts *Counts, stop func() error) error {
	lines := NewLines(from)
	for read := int64(-1); ; {
		if now := lines.BytesRead(); now != read { // not for each line
			if err := stop(); err != nil {
				return err
			}
			bar.setBytes(now, lines.Number())
			read = now
		}
		switch err := counts.Next(lines, to); {
		case err == io.EOF:
			counts.AddRest(lines, to)
			return nil
		case err != nil:
			return err
		}
	}
}

// AddRest hands on a last line without an end, of a log that does not grow. If it cannot be read, and is not the only
// line, it is not complete.
func (c *Counts) AddRest(lines *linefile.Lines, to LineAdder) {
	rest := lines.Rest()
	before := *c
	if c.Add(lines.Number()+1, to, rest); c.Bad > before.Bad && lines.Number() > 0 && !json.Valid(rest) {
		before.Torn = len(rest)
		*c = before
	}
}

// Next hands the next line on. The error is that of reading it: io.EOF at the end, behind which there may be more later.
func (c *Counts) Next(lines *linefile.Lines, to LineAdder) error {
	text, err := lines.Next()
	var long *linefile.LongError
	if errors.As(err, &long) {
		text, err = nil, nil
	}
	if err == nil {
		c.Add(lines.Number(), to, text)
	}
	return err
}

var errLong = fmt.Errorf("got a line of more than %d bytes", MaxLine-1)

// Add hands a line on. A nil text stands for one that is too long.
func (c *Counts) Add(number uint64, to LineAdder, text []byte) {
	if text != nil && len(bytes.TrimSpace(text)) == 0 {
		return
	}
	c.Lines++
	if c.addOther(to, text) {
		return
	}
	err := errLong
	if text != nil {
		err = to.AddLine(text)
	}
	if err == nil {
		c.Calls++
		return
	}
	if text != nil && c.addConverted(to, text) {
		return
	}
	c.Bad++
	if len(c.First) < maxBadLines {
		c.First = append(c.First, BadLine{number, display.Clip(err.Error(), 200)})
	}
}

// addConverted adds the calls of a line of another form than a call log's: a transcript's, an audit log's, or spans.
func (c *Counts) addConverted(to LineAdder, text []byte) bool {
	records, err := c.converter.Records(text)
	if err != nil {
		return false
	}
	for i := range records {
		untimed := records[i].Record == recordEnd && records[i].Duration == nil
		if untimed {
			records[i].Duration = new(float64)
		}
		line, err := records[i].Marshal()
		if err != nil {
			return false
		}
		if c.Lines++; c.addOther(to, line) {
			continue
		}
		if to.AddLine(line) != nil {
			return false
		}
		if c.Calls++; untimed {
			c.Untimed++
		}
	}
	c.Lines-- // the line was counted
	return true
}

// addOther counts a line that is no call of its own, and reports whether it is one. An end that has a beginning is both.
func (c *Counts) addOther(to LineAdder, text []byte) bool {
	record, dropped := calllog.RecordOf(text)
	switch record {
	case "begin":
		c.began++
	case recordEnd:
		c.paired++
	}
	c.Unfinished = c.began - min(c.began, c.paired)
	c.Dropped += dropped
	other := record != "" && record != recordEnd
	if other {
		c.Lines--
		if o, ok := to.(OtherAdder); ok {
			o.AddOther(text)
		}
	}
	return other
}

// ReportTorn says that the last line is cut.
func (c *Counts) ReportTorn(command string, stderr io.Writer) {
	if c.Torn > 0 {
		fmt.Fprintf(stderr, "toolscope %s: %s\n", command, recordings.TornLine(c.Torn))
	}
}

// ReportBad prints how many lines could not be read, and names the first ones.
func (c *Counts) ReportBad(command string, stderr io.Writer) {
	if c.Dropped > 0 {
		fmt.Fprintf(stderr, "toolscope %s: %s dropped when the log was written: calls are missing\n",
			command, display.Number(c.Dropped, "line"))
	}
	if c.Unfinished > 0 {
		fmt.Fprintf(stderr, "toolscope %s: %s without an end: running, or the proxy was killed\n",
			command, display.Number(c.Unfinished, "call"))
	}
	if c.Untimed > 0 {
		fmt.Fprintf(stderr, "toolscope %s: %s without a running time, which counts as 0\n",
			command, display.Number(c.Untimed, "call"))
	}
	c.ReportTorn(command, stderr)
	if c.Bad == 0 {
		return
	}
	fmt.Fprintf(stderr, "toolscope %s: %d of %d lines could not be read:\n", command, c.Bad, c.Lines)
	for _, l := range c.First {
		fmt.Fprintf(stderr, "  line %d: %s\n", l.Line, l.Reason)
	}
	if more := c.Bad - uint64(len(c.First)); more > 0 {
		fmt.Fprintf(stderr, "  and %d more\n", more)
	}
}

// Progress shows on a terminal how much of a log was read.
type Progress struct {
	bar   screen.Bar
	off   bool
	size  int64 // 0 if unknown
	read  int64
	begun time.Time
	shown time.Time
}

// NewProgress returns the progress of reading a log of a size, 0 if unknown. It is not shown
// where w is no terminal, or if quiet is set.
func NewProgress(w io.Writer, size int64, quiet bool) *Progress {
	return &Progress{bar: screen.Bar{W: w}, size: size, off: quiet || !screen.IsTerminal(w)}
}

const progressPause = 100 * time.Millisecond

// setBytes says how many bytes and lines were read so far.
func (p *Progress) setBytes(n int64, lines uint64) {
	p.read = n
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
	took := now.Sub(p.begun)
	text := fmt.Sprintf("%s lines, %s/s", display.Count(lines), display.Count(uint64(float64(lines)/took.Seconds())))
	part := -1.0
	if p.size > 0 {
		part = min(1, float64(p.read)/float64(p.size))
		left := time.Duration(float64(took) * (1 - part) / max(part, 1e-9))
		text = fmt.Sprintf("%3.0f %%  %s, %s left", part*100, text, left.Round(time.Second))
	}
	p.bar.Draw(part, text)
}

// Clear removes the bar.
func (p *Progress) Clear() {
	if !p.off && !p.begun.IsZero() {
		p.bar.Clear()
	}
}
