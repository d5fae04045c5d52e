// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/redact"
)

// Options say what is written. The zero value writes decisions, redacted by
// [redact.Default], and leaves it to the system when they reach the disk.
type Options struct {
	// Redactor is what every text passes; nil is [redact.Default].
	Redactor *redact.Redactor
	// Sync waits until each line is on the disk (fsync). A call then waits for it.
	Sync bool
	// All writes every call, decided on or not.
	All bool
	// WithoutArguments leaves out the redacted arguments; their SHA-256 stays.
	WithoutArguments bool
	// OnError is told when a line could not be written, a full disk for example; it
	// must not block. nil tells nobody; [Log.Lost] counts either way.
	OnError func(error)
}

// A Log is an open file. Make one with [Open]; it is a toolkit.Observer, safe for
// concurrent use, and several processes may append to one file.
type Log struct {
	options Options
	lost    atomic.Uint64

	mu   sync.Mutex
	file *os.File // nil once closed
	torn bool     // whether the file may end within a line
}

// errClosed is why a line is lost after Close.
var errClosed = errors.New("audit: the log is closed")

// Open opens a file for appending, and makes it, for its owner only (0600), if there is
// none. A line that a crash cut off is ended, so that it spoils no other. It never
// changes what is there.
func Open(path string, o Options) (*Log, error) {
	if path == "" {
		return nil, fmt.Errorf("audit: Open: path: got %q, want a file", path)
	}
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: got a %v, want a file", path, info.Mode().Type())
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{options: o, file: f}
	if size := info.Size(); size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			_ = f.Close()
			return nil, fmt.Errorf("audit: %w", err)
		}
		l.torn = last[0] != '\n'
	}
	return l, nil
}

// Write appends an event; its texts are redacted by then. An error says that it is
// lost.
func (l *Log) Write(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return l.lose(errClosed)
	}
	line = append(line, '\n')
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	if n, err := l.file.Write(line); err != nil {
		l.torn = l.torn || n > 0
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	l.torn = false
	if l.options.Sync {
		if err := l.file.Sync(); err != nil {
			return l.lose(fmt.Errorf("audit: the line may not be on the disk: %w", err))
		}
	}
	return nil
}

func (l *Log) lose(err error) error {
	l.lost.Add(1)
	if tell := l.options.OnError; tell != nil {
		defer func() { _ = recover() }()
		tell(err)
	}
	return err
}

// Lost is how many lines could not be written.
func (l *Log) Lost() uint64 { return l.lost.Load() }

// Close closes the file; lines after that are lost. It may be called more than once.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
