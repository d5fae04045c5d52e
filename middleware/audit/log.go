// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/filelock"
	"github.com/toolscope/toolscope/internal/linefile"
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
	// Key makes the chain of entries (see [Verify]) one that only who has the key can continue or rewrite. nil is a
	// chain that anyone who can write the file can rewrite as a whole.
	Key []byte `yaml:"-"`
	// MaxBytes sets the log aside, under its name with the time appended, before it
	// grows larger. The default, 0, lets it grow.
	MaxBytes int `yaml:"max_bytes" unit:"bytes" doc:"Size at which the log is set aside; default 0, never."`
	// MaxAge is how long lines are kept: the log is set aside when its first line is older than
	// a tenth of that, and what was set aside is removed when no caller wrote to it for that
	// long. Both happen when a line is written. The default, 0, keeps all.
	MaxAge time.Duration `yaml:"max_age" doc:"How long entries are kept, such as 2160h; default 0, for ever."`
	// MaxFiles is how many logs that were set aside are kept. The default, 0, keeps all.
	MaxFiles int `yaml:"max_files" doc:"Logs that were set aside to keep; default 0, all."`
	// Handler also gets each entry, as a record with the entry's members as attributes: level Warn for
	// refused calls, rejected requests and stops, else Info. With exporters.Providers.LogHandler entries
	// become OpenTelemetry log records. It is called after the line was written, or was lost; it must not
	// block, and a panic in it is dropped. nil is none.
	Handler slog.Handler `yaml:"-"`
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
	file   *linefile.File // nil if it could not be opened again
	state  *os.File       // end of the chain, and the lock of those who append; nil if file is
	begun  time.Time
	pruned uint64 // last entry that rotation has removed since the last line
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
	}{{"MaxBytes", int64(o.MaxBytes)}, {"MaxAge", int64(o.MaxAge)}, {"MaxFiles", int64(o.MaxFiles)}} {
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
	f, err := linefile.Open(l.path, linefile.Options{})
	if err != nil {
		return err
	}
	state, err := os.OpenFile(statePath(l.path), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.state = f, state
	l.begun = l.beginning()
	return nil
}

// shut closes the files. The lock is held.
func (l *Log) shut() error {
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.Sync(), l.file.Close(), l.state.Close())
	l.file, l.state = nil, nil
	return err
}

// Write appends an event; its texts are redacted by then. An error says that it is
// lost.
func (l *Log) Write(e Event) error {
	defer forward(l.options.Handler, &e)
	return l.write(e)
}

func (l *Log) write(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.lose(errClosed)
	}
	if err := l.follow(); err != nil {
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	locked := l.state
	if err := filelock.Lock(locked); err != nil {
		return l.lose(fmt.Errorf("audit: locking %s: %w", locked.Name(), err))
	}
	defer func() {
		if l.state == locked { // closing it gave the lock back
			filelock.Unlock(locked)
		}
	}()
	// Another program may have set the log aside until the lock was given.
	if err := l.reopen(); err != nil {
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	if err := l.append(&linked{Event: e}); err != nil {
		return l.lose(fmt.Errorf("audit: %w", err))
	}
	if l.options.Sync {
		if err := l.file.Sync(); err != nil {
			return l.lose(fmt.Errorf("audit: the line may not be on the disk: %w", err))
		}
	}
	return nil
}

// append writes an entry at the end of the chain. The lock of the log and that of its state are held.
func (l *Log) append(e *linked) error {
	end, fragment, err := l.end()
	if err != nil {
		return err
	}
	if end.seq == 0 {
		e.Before = end.size
	}
	line, next, err := e.line(l.options.Key, end.link)
	if err != nil {
		return err
	}
	again, err := l.rotate(int64(len(line)) + 1)
	if err != nil {
		l.reportError(fmt.Errorf("audit: setting the log aside: %w", err))
		if l.file == nil {
			return err
		}
	}
	if again {
		if end, fragment, err = l.end(); err != nil {
			return err
		}
	}
	if again || l.pruned > 0 || len(fragment) > 0 {
		if e.PrunedTo = l.pruned; len(fragment) > 0 {
			sum := sha256.Sum256(fragment)
			e.Torn = encoding.EncodeToString(sum[:])
		}
		if line, next, err = e.line(l.options.Key, end.link); err != nil {
			return err
		}
	}
	size, err := l.file.Append(append(line, '\n')) // which ends a fragment first
	if err != nil {
		return err
	}
	l.pruned = 0
	after := state{next, size}
	_, err = l.state.WriteAt(after.text(l.options.Key), 0)
	return err
}

// end returns the end of the chain, and what a crash left of a line behind it.
func (l *Log) end() (s state, fragment []byte, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return s, nil, err
	}
	s, ok := readState(l.state, l.options.Key)
	if s.size == info.Size() || info.Size() == 0 {
		s.size = info.Size()
		return s, nil, nil
	}
	s.size = info.Size()
	last, fragment, found := lastEntry(l.file, info.Size())
	// A program that ended between its line and the state left the line as the end.
	if found && (!ok || last.link == s.next(l.options.Key, last.entry)) {
		s.link = last.link
	}
	return s, fragment, nil
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
	if err := l.shut(); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
