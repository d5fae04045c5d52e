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
	"time"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/redact"
)

// Options say what is written. The zero value writes decisions, redacted by
// [redact.Default], and leaves it to the system when they reach the disk.
type Options struct {
	// Redactor redacts every text; nil is [redact.Default].
	Redactor *redact.Redactor `yaml:"-"`
	// Sync waits until each line is on the disk (fsync). A call then waits for it.
	Sync bool `yaml:"sync" doc:"Wait until each line is on the disk; default false."`
	// All writes every call, decided on or not.
	All bool `yaml:"all" doc:"Every call, decided on or not; default false."`
	// WithoutArguments leaves out the redacted arguments; their SHA-256 stays.
	WithoutArguments bool `yaml:"without_arguments" doc:"Leave out the redacted arguments; default false."`
	// MaxBytes sets the log aside, under its name with the time appended, before it
	// grows larger. The default, 0, lets it grow.
	MaxBytes int64 `yaml:"-"`
	// MaxAge is how long lines are kept: the log is set aside when its first line is older than
	// a tenth of that, and what was set aside is removed when no caller wrote to it for that
	// long. Both happen when a line is written. The default, 0, keeps all.
	MaxAge time.Duration `yaml:"-"`
	// MaxFiles is how many logs that were set aside are kept. The default, 0, keeps all.
	MaxFiles int `yaml:"-"`
	// OnError is called when a line could not be written, a full disk for example; it
	// must not block. nil is no function; [Log.Lost] counts either way.
	OnError func(error) `yaml:"-"`
}

// A Log is an open file. Make one with [Open]; it is a toolkit.Observer, safe for
// concurrent use, and several processes may append to one file.
type Log struct {
	options Options
	path    string
	now     func() time.Time
	types   *errtype.Guard
	keys    *errtype.Guard // of tags
	lost    atomic.Uint64

	mu     sync.Mutex
	file   *os.File // nil if it could not be opened again
	begun  time.Time
	torn   bool // whether the file may end within a line
	closed bool
}

// errClosed is why a line is lost after Close.
var errClosed = errors.New("audit: the log is closed")

// Open opens a file for appending, and makes it, for its owner only (0600), if there is
// none. A line that a crash cut off is ended, so that it spoils no other. It never
// changes what is there. When a caller moves the file away, as logrotate does, the next line
// begins a new one.
func Open(path string, o Options) (*Log, error) {
	if path == "" {
		return nil, fmt.Errorf("audit: Open: path: got %q, want a file", path)
	}
	for _, f := range []struct {
		name string
		got  int64
	}{{"MaxBytes", o.MaxBytes}, {"MaxAge", int64(o.MaxAge)}, {"MaxFiles", int64(o.MaxFiles)}} {
		if f.got < 0 {
			return nil, fmt.Errorf("audit: Options.%s: got %d, want 0 or more", f.name, f.got)
		}
	}
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	l := &Log{options: o, path: path, now: time.Now, types: errtype.New(o.Redactor), keys: errtype.NewKeys(o.Redactor)}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return l, nil
}

// open opens the file.
func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: got a %v, want a file", l.path, info.Mode().Type())
	}
	torn := false
	if err == nil && info.Size() > 0 {
		var last [1]byte
		_, err = f.ReadAt(last[:], info.Size()-1)
		torn = last[0] != '\n'
	}
	if err != nil {
		_ = f.Close()
		return err
	}
	l.file, l.torn, l.begun = f, torn, l.beginning(f)
	return nil
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
	if l.closed {
		return l.lose(errClosed)
	}
	if err := l.follow(); err != nil {
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	if err := l.rotate(int64(len(line)) + 1); err != nil {
		l.reportError(fmt.Errorf("audit: setting the log aside: %w", err))
		if l.file == nil {
			return l.lose(err)
		}
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
	l.reportError(err)
	return err
}

// reportError tells the host of an error, whatever the host does.
func (l *Log) reportError(err error) {
	if tell := l.options.OnError; tell != nil {
		defer func() { _ = recover() }()
		tell(err)
	}
}

// Lost is how many lines could not be written.
func (l *Log) Lost() uint64 { return l.lost.Load() }

// Close closes the file; lines after that are lost. It may be called more than once.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
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
