// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"cmp"
	"container/heap"
	"io"
	"slices"
	"time"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
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

// NewHTML is a page that stands for itself, with plots: see [stats.CallLog.WritePage]. It
// is written when the sink is closed.
func NewHTML(w io.Writer, o HTML) Sink {
	s := &htmlSink{to: w, options: o, log: stats.NewCallLog(o.Redactor)}
	s.log.KeepTimeline()
	return s
}

type htmlSink struct {
	to      io.Writer
	options HTML
	log     *stats.CallLog
	slowest slowest
	failed  []stats.LoggedCall // a ring of the latest
	fails   int
}

func (s *htmlSink) Add(c *stats.LoggedCall) error {
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
	page := stats.LogPage{Title: s.options.Title, Zone: s.options.Zone, Slowest: s.slowest}
	slices.SortStableFunc(page.Slowest, func(a, b stats.LoggedCall) int {
		return cmp.Or(cmp.Compare(b.Duration, a.Duration), a.End.Compare(b.End))
	})
	for i := range s.failed {
		page.Failed = append(page.Failed, s.failed[(s.fails-1-i)%len(s.failed)])
	}
	if s.options.Notes != nil {
		page.Notes = s.options.Notes()
	}
	return s.log.WritePage(s.to, page)
}

// slowest is a heap of calls, the quickest of them on top.
type slowest []stats.LoggedCall

func (h slowest) Len() int           { return len(h) }
func (h slowest) Less(i, j int) bool { return h[i].Duration < h[j].Duration }
func (h slowest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push adds a call.
func (h *slowest) Push(c any) { *h = append(*h, c.(stats.LoggedCall)) }

// Pop takes the last one out.
func (h *slowest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
