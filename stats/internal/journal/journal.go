// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// FilePrefix begins the name of each file of a journal.
	FilePrefix = "intervals-"
	fileSuffix = ".toolscope"
	// FileHead is the first line of a file.
	FileHead = "toolscope intervals 1\n"
	maxFile  = 4 << 20
	// maxQueue is how many records wait to be written while the disk is slow.
	maxQueue = 64
	maxNotes = 20
)

var errSlow = errors.New("the disk is too slow: an interval was not written")

// Options say where a journal is and what it keeps.
type Options struct {
	Directory string
	MaxBytes  int64
	Retention time.Duration
	Now       func() time.Time
}

// A Journal appends records in a goroutine that lives while there is something to write. A nil
// *Journal keeps nothing. It is safe for concurrent use.
type Journal struct {
	options Options

	mu     sync.Mutex
	queue  [][]byte
	idle   chan struct{} // closed when the writer has nothing to do; nil if none runs
	closed bool
	err    error // the first error of writing
	fails  error // what the last record met; nil if it was written
	notes  []string

	file *os.File // the writer's own
	size int64
}

// Open makes the directory if need be, removes what is too old or too much, and calls read with the
// body of each record that is left, the oldest first. read must not keep the body. What cannot be
// read, and what read returns an error for, is left out and noted.
func Open(o Options, read func(body []byte) error) (*Journal, error) {
	j := &Journal{options: o}
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return nil, fmt.Errorf("stats: Options.Directory: got %q, want a directory that can be written: %w", o.Directory, err)
	}
	files, err := j.prune()
	if err != nil {
		return nil, fmt.Errorf("stats: Options.Directory: got %q, want a directory that can be read: %w", o.Directory, err)
	}
	for _, f := range files {
		j.readFile(f.Name(), read)
	}
	return j, nil
}

// Note remembers what went wrong, up to a bound.
func (j *Journal) Note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.notes) < maxNotes {
		j.notes = append(j.notes, fmt.Sprintf(format, args...))
	}
}

// Append hands a record to the writer.
func (j *Journal) Append(body []byte) {
	if j == nil {
		return
	}
	record := frame(body)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	if len(j.queue) == maxQueue {
		j.queue = j.queue[1:]
		j.fail(errSlow)
	}
	j.queue = append(j.queue, record)
	if j.idle == nil {
		j.idle = make(chan struct{})
		go j.writeQueue(j.idle)
	}
}

// writeQueue writes the queue until it is empty.
func (j *Journal) writeQueue(idle chan struct{}) {
	defer close(idle)
	for {
		j.mu.Lock()
		if len(j.queue) == 0 {
			j.idle = nil
			j.mu.Unlock()
			return
		}
		record := j.queue[0]
		j.queue = j.queue[1:]
		j.mu.Unlock()
		err := j.writeRecord(record)
		j.mu.Lock()
		j.fails = nil
		if err != nil {
			j.fail(err)
		}
		j.mu.Unlock()
	}
}

// writeRecord appends a record to the file, or begins a new one.
func (j *Journal) writeRecord(record []byte) error {
	if j.file != nil && j.size+int64(len(record)) > maxFile {
		j.shut()
	}
	if j.file == nil {
		if err := j.begin(); err != nil {
			return err
		}
	}
	n, err := j.file.Write(record)
	j.size += int64(n)
	if err != nil {
		j.shut() // what comes next must not follow half a record
	}
	return err
}

func (j *Journal) begin() error {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	name := FilePrefix + j.options.Now().UTC().Format("20060102T150405.000000000") + "-" + hex.EncodeToString(random[:]) + fileSuffix
	f, err := os.OpenFile(filepath.Join(j.options.Directory, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := f.WriteString(FileHead)
	if err != nil {
		_ = f.Close()
		return err
	}
	j.file, j.size = f, int64(n)
	_, err = j.prune()
	return err
}

func (j *Journal) shut() {
	if j.file != nil {
		_ = j.file.Close()
		j.file = nil
	}
}

// prune removes the files beyond the limits of age and size, and returns those
// left, the oldest first. The file being written stays. A file from the future was written before
// the system clock was set back, so it is older than the others.
func (j *Journal) prune() ([]os.FileInfo, error) {
	entries, err := os.ReadDir(j.options.Directory)
	if err != nil {
		return nil, err
	}
	var files []os.FileInfo
	total := int64(0)
	now := j.options.Now()
	var ahead []os.FileInfo     // what a clock ahead of this one wrote, which comes first
	for _, e := range entries { // by name
		if !strings.HasPrefix(e.Name(), FilePrefix) || !strings.HasSuffix(e.Name(), fileSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			if info.ModTime().After(now.Add(time.Minute)) {
				ahead = append(ahead, info)
			} else {
				files = append(files, info)
			}
			total += info.Size()
		}
	}
	files = append(ahead, files...)
	oldest := now.Add(-j.options.Retention)
	return slices.DeleteFunc(files, func(f os.FileInfo) bool {
		own := j.file != nil && f.Name() == filepath.Base(j.file.Name())
		if own || total <= j.options.MaxBytes && f.ModTime().After(oldest) {
			return false
		}
		if os.Remove(filepath.Join(j.options.Directory, f.Name())) != nil {
			return false
		}
		total -= f.Size()
		return true
	}), nil
}

// fail remembers an error of writing. The caller holds the lock.
func (j *Journal) fail(err error) {
	j.fails = fmt.Errorf("stats: writing intervals: %w", err)
	if j.err == nil {
		j.err = j.fails
		j.notes = append(j.notes, j.err.Error())
	}
}

// Close waits until all is written and returns the first error of writing.
func (j *Journal) Close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	j.closed = true
	idle := j.idle
	j.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("stats: writing intervals: %w", context.Cause(ctx))
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shut()
	return j.err
}

// Notes are what could not be read back, what was noted, and the first error of writing: at most 20.
func (j *Journal) Notes() []string {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.notes)
}

// Idle reports whether nothing waits to be written.
func (j *Journal) Idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.idle == nil
}

// Failure is why the last record could not be written; nil if it was.
func (j *Journal) Failure() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fails
}
