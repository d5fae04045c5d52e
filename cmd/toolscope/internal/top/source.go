// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/stats"
)

// A Source answers what is to be seen. Its methods are called by one goroutine at a
// time, and must come back when ctx is done.
type Source interface {
	// State answers for a window of time, one of [stats.WindowNames]. An error says
	// why nothing could be had; the last state then stays on the screen.
	State(ctx context.Context, window string) (*State, error)
	// Content fills in arguments and result of a call, where they can be had.
	Content(ctx context.Context, call Call) (Content, error)
}

// A State is what is known at a moment. The receiver must not change it.
type State struct {
	At     time.Time // by the clock of the program that answered
	Source string    // whom or what was asked
	// Window is what the figures are of: a name such as "5m", or "the whole log".
	Window  string
	Summary *stats.Summary
	// Trend is the number of calls in parts of the window of equal length, the
	// oldest first, by tool; "" is all tools.
	Trend map[string][]float64
	// Running are the calls that run, the one running for longest first. It is nil
	// if only their number is known, which is in Summary; RunningMore are those
	// beyond.
	Running     []Running
	RunningMore int
	Calls       []Call // the latest first
	Sessions    []stats.SessionStats
	Loops       []stats.Loop
	// Frames are the messages between client and server, the latest first; nil where they are not known.
	Frames []Frame
	// Peers says who takes part and what they can do, "" if that is not known.
	Peers string
	// Notes are what a person should know of the answer: programs that did not
	// answer, lines that could not be read.
	Notes []string
}

// A Call is one that has ended. Key tells calls of a source apart.
type Call struct {
	Key     string
	Program string // which of several programs; "" for one
	stats.RecentCall
	Content
}

// Content is what a call was given and what it answered, redacted. Why says why there
// is none, if there is none.
type Content struct{ Arguments, Result, Why string }

// A Frame is a message between client and server, or what a recording says of their session.
type Frame struct {
	Key                       string
	Time                      time.Time
	Direction                 string // "→" to the server, "←" to the client, "" for what is no message
	Kind                      string // request, response, session, tools or dropped
	Method, Name, ID, Session string // Name is that of a tool, a prompt or a resource
	Status                    string // of a response: ok, or why it failed
	TookMs                    float64
	Text                      string // the record, redacted
}

// A Running is a call that has not ended.
type Running struct {
	Program string
	stats.RunningCall
}
