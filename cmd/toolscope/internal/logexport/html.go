// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"cmp"
	"container/heap"
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
	slowest slowest
	failed  []calllog.Call // a ring of the latest
	fails   int
}

func (s *htmlSink) Add(c *calllog.Call) error {
	s.log.AddCall(c)
	if c.Duration > 0 && (len(s.slowest) < maxShown || s.slowest[0].Duration < c.Duration) {
		heap.Push(&s.slowest, *c)
		if len(s.slowest) > maxShown {
			heap.Pop(&s.slowest)
		}
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
	slices.SortStableFunc(page.Slowest, func(a, b calllog.Call) int {
		return cmp.Or(cmp.Compare(b.Duration, a.Duration), a.End.Compare(b.End))
	})
	for i := range s.failed {
		page.Failed = append(page.Failed, s.failed[(s.fails-1-i)%len(s.failed)])
	}
	if s.options.Notes != nil {
		page.Notes = s.options.Notes()
	}
	return statspage.WriteReport(s.to, s.log, page)
}

// slowest is a heap of calls, the quickest of them on top.
type slowest []calllog.Call

func (h slowest) Len() int           { return len(h) }
func (h slowest) Less(i, j int) bool { return h[i].Duration < h[j].Duration }
func (h slowest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push adds a call.
func (h *slowest) Push(c any) { *h = append(*h, c.(calllog.Call)) }

// Pop takes the last one out.
func (h *slowest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
