// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/statspage"
	"github.com/toolscope/toolscope/redact"
)

// HTML says what a page is like; the zero value is good.
type HTML struct {
	Title    string           // "" is "Tool calls"
	Redactor *redact.Redactor // of names that the statistics make; nil is the default one
	Notes    func() []string  // what readers should know, asked at the end; nil for nothing
	Zone     *time.Location   // nil is UTC
}

// How many calls a page shows one by one.
const maxShown = 25

// NewHTML is a page that stands for itself, with plots: see [statspage.WriteReport]. It
// is written when the sink is closed.
func NewHTML(w io.Writer, o HTML) Sink {
	s := &htmlSink{to: w, options: o, log: calllog.New(o.Redactor)}
	s.log.KeepTimeline()
	return s
}

type htmlSink struct {
	to      io.Writer
	options HTML
	log     *calllog.Log
	slowest []calllog.Call // the slowest one first
	failed  []calllog.Call // a ring of the latest
	fails   int
}

func (s *htmlSink) Add(c *calllog.Call) error {
	s.log.AddCall(c)
	at, _ := slices.BinarySearchFunc(s.slowest, *c, slowerFirst)
	if c.Duration > 0 && at < maxShown {
		s.slowest = slices.Insert(s.slowest, at, *c)
		s.slowest = s.slowest[:min(len(s.slowest), maxShown)]
	}
	if c.ErrorType != "" {
		if len(s.failed) < maxShown {
			s.failed = append(s.failed, *c)
		} else {
			s.failed[s.fails%maxShown] = *c
		}
		s.fails++
	}
	return nil
}

func (s *htmlSink) Close() error {
	page := statspage.Report{Title: s.options.Title, Zone: s.options.Zone, Slowest: s.slowest}
	for i := range s.failed {
		page.Failed = append(page.Failed, s.failed[(s.fails-1-i)%len(s.failed)])
	}
	if s.options.Notes != nil {
		page.Notes = s.options.Notes()
	}
	return statspage.WriteReport(s.to, s.log, page)
}

func slowerFirst(a, b calllog.Call) int {
	return cmp.Or(cmp.Compare(b.Duration, a.Duration), a.End.Compare(b.End))
}
