// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
)

// NewText is a line for each call, and below it, indented, its arguments and what came
// of it. Everything that a terminal would act on is spelled out. Times are in the zone.
func NewText(w io.Writer, zone *time.Location) Sink {
	return &textSink{to: bufio.NewWriterSize(w, 64<<10), zone: zone}
}

type textSink struct {
	to   *bufio.Writer
	zone *time.Location
}

func (s *textSink) Add(c *calllog.Call) error {
	at := strings.Repeat(" ", len("2006-01-02 15:04:05.000"))
	if !c.End.IsZero() {
		at = c.End.Add(-c.Duration).In(s.zone).Format("2006-01-02 15:04:05.000")
	}
	took := "–"
	if c.Duration > 0 {
		took = display.Duration(c.Duration)
	}
	_, err := fmt.Fprintf(s.to, "%s  %-24s  %-17s  %9s%s\n", at, display.Plain(c.Tool), ending(c), took, origin(c))
	if err != nil {
		return err
	}
	for _, part := range []struct{ name, text string }{
		{"intent", c.Intent}, {"arguments", string(c.Arguments)}, {"error", c.Error},
		{"result", c.ResultText()},
	} {
		if part.text == "" {
			continue
		}
		if _, err := fmt.Fprintf(s.to, "    %s: %s\n", part.name, display.Plain(part.text)); err != nil {
			return err
		}
	}
	return nil
}

// ending is how a call came to its end, in a word.
func ending(c *calllog.Call) string {
	if c.ErrorType != "" {
		return display.Plain(c.ErrorType)
	}
	return c.Outcome.String()
}

// origin says whose call it was.
func origin(c *calllog.Call) string {
	text := ""
	for _, part := range []struct{ name, value string }{
		{"session", c.Session}, {"agent", c.Agent}, {"id", c.ID}, {"trace", c.TraceID},
	} {
		if part.value != "" {
			text += "  " + part.name + " " + display.Plain(part.value)
		}
	}
	return text
}

func (s *textSink) Close() error { return s.to.Flush() }
