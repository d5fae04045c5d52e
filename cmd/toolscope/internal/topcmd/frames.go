// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	calls "github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/redact"
)

// The limits of the lines that are kept to be shown as frames, and of a text that is shown.
const (
	maxFrames     = 500
	maxFrameBytes = 8 << 20
	shownText     = 16 << 10 // bytes of a record, of arguments, and of a result
)

// A frameRing has the latest lines of a recording.
type frameRing struct {
	lines []*frameLine
	bytes int
	added uint64
}

// A frameLine is a line, and once it was shown the frames that it is about.
type frameLine struct {
	number uint64
	text   []byte
	size   int
	frames []top.Frame
}

func (r *frameRing) addLine(line []byte) {
	r.added++
	r.lines = append(r.lines, &frameLine{number: r.added, text: bytes.Clone(line), size: len(line)})
	r.bytes += len(line)
	drop := 0
	for ; len(r.lines)-drop > maxFrames || r.bytes > maxFrameBytes; drop++ {
		r.bytes -= r.lines[drop].size
	}
	clear(r.lines[:drop])
	r.lines = r.lines[drop:]
}

// shown are the frames, the latest first.
func (r *frameRing) shown() []top.Frame {
	frames := []top.Frame{}
	for _, line := range slices.Backward(r.lines) {
		if line.text != nil {
			line.frames, line.text = framesOf(line.text, line.number), nil
		}
		frames = append(frames, line.frames...)
	}
	slices.SortStableFunc(frames, func(a, b top.Frame) int { return b.Time.Compare(a.Time) })
	return frames
}

// framesOf are the frames that a line is about, the latest first: a request that is no call has one line for both.
func framesOf(line []byte, number uint64) []top.Frame {
	r, err := calls.ReadRecord(line)
	if err != nil || r.Record == calls.RecordTool { // a definition, which is of a list that has its own line
		return nil
	}
	redactor := redact.Default()
	clean := func(s string) string { s, _ = redactor.TextMax(s, 128); return s }
	text, _ := redactor.ForTool(r.Tool).JSONMax(line, shownText)
	f := top.Frame{
		Key: fmt.Sprint(number), Time: r.Time, Kind: r.Record, Method: clean(r.Method),
		Name: clean(cmp.Or(r.Requested, r.Tool, r.Target)), ID: clean(r.ID), Session: clean(r.Session), Text: string(text),
	}
	switch r.Record {
	case calls.RecordBegin:
		f.Kind, f.Direction, f.Method = "request", "→", "tools/call"
	case calls.RecordRequest:
		f.Kind = "response"
		setEnd(&f, &r)
		asked := f
		there, back := "→", "←"
		if slices.Contains(ofServer, r.Method) {
			there, back = back, there
		}
		f.Direction, asked.Direction = back, there
		asked.Key, asked.Kind, asked.Status, asked.TookMs = f.Key+"→", "request", "", 0
		asked.Time = f.Time.Add(-time.Duration(f.TookMs * float64(time.Millisecond)))
		return []top.Frame{f, asked}
	case calls.RecordEnd, "":
		f.Kind, f.Direction, f.Method = "response", "←", "tools/call"
		setEnd(&f, &r)
	}
	return []top.Frame{f}
}

// ofServer are the requests that the server sends to the client.
var ofServer = []string{"sampling/createMessage", "elicitation/create", "roots/list"}

// setEnd sets how a request has ended.
func setEnd(f *top.Frame, r *calls.Record) {
	switch {
	case r.ErrorType != "":
		f.Status = r.ErrorType
	case r.Error != "":
		f.Status = "error"
	default:
		f.Status = "ok"
	}
	if r.Duration != nil {
		f.TookMs = *r.Duration / 1000
	}
}
