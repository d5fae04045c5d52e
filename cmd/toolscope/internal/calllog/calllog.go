// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a line, in bytes, and of the lines that wait to be written.
const (
	maxContent = 4 << 10 // of arguments, and of a result
	maxText    = 1 << 10 // of an error
	maxName    = 256
	maxQueue   = 4096
)

// A Log is an observer that writes each call down when it ends. Make one with [Open]. It is
// safe for concurrent use.
type Log struct {
	file     io.WriteCloser
	redactor *redact.Redactor
	types    *errtype.Guard
	lines    chan []byte
	written  atomic.Uint64
	dropped  atomic.Uint64
	failing  atomic.Pointer[error] // of the last write; nil if it worked

	mu     sync.RWMutex // held by who sends on lines
	closed bool
	done   chan struct{}
	err    error // of the last write, once done is closed
}

var _ toolkit.Observer = (*Log)(nil)

// Open appends to a file, which is made if it is not there. The redactor is what everything
// passes; nil is [redact.Default].
func Open(path string, redactor *redact.Redactor) (*Log, error) {
	if redactor == nil {
		redactor = redact.Default()
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("calllog: %w", err)
	}
	return begin(file, redactor), nil
}

func begin(file io.WriteCloser, redactor *redact.Redactor) *Log {
	l := &Log{
		file: file, redactor: redactor, types: errtype.New(redactor), lines: make(chan []byte, maxQueue),
		done: make(chan struct{}),
	}
	go l.write()
	return l
}

func (l *Log) write() {
	defer close(l.done)
	torn := false // a full disk took a part of a line, which the next must not go on
	for line := range l.lines {
		if torn {
			line = slices.Insert(line, 0, '\n')
		}
		n, err := l.file.Write(line)
		if err != nil {
			l.dropped.Add(1)
			l.err = err
			l.failing.Store(&err)
		} else {
			l.written.Add(1)
			l.failing.Store(nil)
		}
		torn = err != nil && (torn || n > 0)
	}
	l.err = errors.Join(l.err, l.file.Close())
}

// Dropped is how many calls were not written, for want of room or because the disk
// refused them.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// Written is how many calls were written.
func (l *Log) Written() uint64 { return l.written.Load() }

// Failing is why the last call was not written; nil if it was.
func (l *Log) Failing() error {
	if err := l.failing.Load(); err != nil {
		return *err
	}
	return nil
}

// Close writes what waits and closes the file. Calls that end later are dropped and
// counted.
func (l *Log) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.lines)
	}
	l.mu.Unlock()
	<-l.done
	return l.err
}

// Begin does nothing: a call is written down when it ends.
func (l *Log) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}

// Wants is true: arguments and results are written down.
func (l *Log) Wants(context.Context) bool { return true }

// End puts the call's line into the queue.
func (l *Log) End(ctx context.Context, e *toolkit.Ended) {
	text, err := l.line(ctx, e)
	if err != nil {
		l.dropped.Add(1)
		return
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		l.dropped.Add(1)
		return
	}
	select {
	case l.lines <- text:
	default:
		l.dropped.Add(1)
	}
}
