// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/stats"
)

// Options say how the view works; the zero value is good.
type Options struct {
	Every  time.Duration // between questions; 0 is 2 s
	Window string        // of the figures at first; "" is 5m
	Tool   string        // the tool to begin with; "" is all of them
	// Plain draws without colour, ASCII without any character beyond ASCII.
	Plain, ASCII bool
	// Zone is where clocks are shown; nil is the local one.
	Zone *time.Location
}

// Model is what the view shows and where in it the person is. Make one with [New].
type Model struct {
	source  Source
	options Options
	ctx     context.Context // of what is asked

	width, height int
	now           time.Time
	window        string

	state    *State
	got      time.Time // when state came, by the clock of now
	err      error     // of the last question; nil if it was answered
	failing  time.Time // since when questions are not answered
	asked    uint64    // the last question's number: answers to older ones are not looked at
	contents map[string]Content
	fetching bool

	tabs   [tabs]place
	tab    kind
	stack  []place // gone into, from a tab on
	paused bool
	typing bool // the filter is being typed
	typed  string
	help   bool
}

// kind is what a place shows.
type kind int

// The lists come first: they are the tabs.
const (
	toolList kind = iota
	callList
	runningList
	sessionList
	errorList
	frameList
	tabs

	oneTool kind = iota - 1
	oneCall
	oneSession
	oneError
	oneRunning
	oneFrame
)

// A place is a list or one thing, and where in it the person is.
type place struct {
	kind    kind
	key     string  // of the one thing
	call    Call    // of oneCall: the lists move on
	running Running // of oneRunning, for the same reason
	frame   Frame   // of oneFrame
	at      string  // key of the selected row; "" is the first
	row     int     // its number when it was last drawn
	top     int     // the first row, or line, that is drawn
	order   int
	reverse bool
	filter  string
}

// maxContents is how many calls' contents are kept.
const maxContents = 512

// New is the view before anything is known. ctx ends what is asked of the source.
func New(ctx context.Context, source Source, options Options) *Model {
	if options.Every <= 0 {
		options.Every = 2 * time.Second
	}
	if options.Window == "" {
		options.Window = "5m"
	}
	if options.Zone == nil {
		options.Zone = time.Local
	}
	m := &Model{
		source: source, options: options, ctx: ctx, window: options.Window, contents: make(map[string]Content),
		width: 80, height: 24,
	}
	for i := range m.tabs {
		m.tabs[i].kind = kind(i)
	}
	if options.Tool != "" {
		m.stack = append(m.stack, place{kind: oneTool, key: options.Tool})
	}
	return m
}

// place is where the person is.
func (m *Model) place() *place {
	if n := len(m.stack); n > 0 {
		return &m.stack[n-1]
	}
	return &m.tabs[m.tab]
}

// lists is how many tabs there are: that of frames only where they are known.
func (m *Model) lists() kind {
	if m.state == nil || m.state.Frames == nil {
		return frameList
	}
	return tabs
}

// answered takes the answer to a question.
func (m *Model) answered(number uint64, s *State, err error) {
	if number != m.asked {
		return
	}
	if err != nil {
		if m.err == nil {
			m.failing = m.now
		}
		m.err = err
		return
	}
	m.err = nil
	m.state, m.got = s, m.now
}

// keep remembers a call's content, and forgets all if there are too many: those that
// are on the screen are asked for again.
func (m *Model) keep(key string, c Content) {
	if len(m.contents) >= maxContents {
		clear(m.contents)
	}
	m.contents[key] = c
}

// content is what is known of a call's content; false if it was not asked for yet.
func (m *Model) content(c *Call) (Content, bool) {
	if c.Content != (Content{}) {
		return c.Content, true
	}
	known, ok := m.contents[c.Key]
	return known, ok
}

// tool are the figures of a tool; nil if it had no calls.
func (s *State) tool(name string) *stats.ToolStats {
	for i := range s.Summary.Tools {
		if s.Summary.Tools[i].Tool == name {
			return &s.Summary.Tools[i]
		}
	}
	return nil
}
