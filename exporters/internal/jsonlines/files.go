// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The names of files: spans-<when it was begun>-<process id>-<random>.jsonl, and with
// .gz when it was compressed. They sort by age.
const (
	prefix     = "spans-"
	suffix     = ".jsonl"
	compressed = suffix + ".gz"
	// unfinished ends the names, with a dot before them, of what is in the making.
	unfinished = ".part"
)

var errClosed = errors.New("the exporter was shut down")

// files is a directory that is written to.
type files struct {
	dir     string
	options Options
	now     func() time.Time

	mu     sync.Mutex
	file   *os.File // nil if none is begun
	size   int64
	begun  time.Time
	closed bool
	stats  Stats

	aside   map[string]bool // names of files that were set aside and are not yet compressed
	tidying chan struct{}   // closed when the goroutine that tidies is done; nil if none runs
	again   bool            // there is more to tidy
	stopped context.Context // of the goroutine that tidies
	giveUp  context.CancelFunc
}

func newFiles(dir string, o Options) *files {
	f := &files{dir: dir, options: o, now: time.Now, aside: make(map[string]bool)}
	f.stopped, f.giveUp = context.WithCancel(context.Background())
	return f
}

// try makes the directory and sees that a file can be made in it.
func (f *files) try() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(f.dir, "."+prefix+"*"+unfinished)
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// write appends a batch to the file, or to a new one.
func (f *files) write(b *batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats.Failed += uint64(b.failed)
	if b.spans == 0 {
		return nil
	}
	err := f.put(b.text)
	f.stats.Err = err
	if err != nil {
		f.stats.Failed += uint64(b.spans)
		return err
	}
	f.stats.Spans += uint64(b.spans)
	f.stats.Bytes += uint64(len(b.text))
	return nil
}

func (f *files) put(text []byte) error {
	if f.closed {
		return errClosed
	}
	if err := f.ready(int64(len(text))); err != nil {
		return err
	}
	n, err := f.file.Write(text)
	if err == nil {
		f.size += int64(n)
		return nil
	}
	// What comes next must not follow half a batch.
	if n > 0 && f.file.Truncate(f.size) != nil {
		f.shut()
	}
	return err
}

// ready sees to it that there is a file for n bytes more.
func (f *files) ready(n int64) error {
	if f.file != nil && !f.there() {
		f.shut()
	}
	if f.file != nil && (f.size > 0 && f.size+n > f.options.FileBytes || f.now().Sub(f.begun) >= f.options.FileAge) {
		f.aside[filepath.Base(f.file.Name())] = true
		f.shut()
		f.tidy()
	}
	if f.file != nil {
		return nil
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	f.begun = f.now()
	name := fmt.Sprintf("%s%s-%d-%s%s", prefix, f.begun.UTC().Format("20060102T150405.000000000"), os.Getpid(),
		hex.EncodeToString(random[:]), suffix)
	if err := os.MkdirAll(f.dir, 0o700); err != nil { // another process may have removed it
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	f.file, f.size = file, 0
	f.stats.Files++
	if f.stats.Files == 1 {
		f.tidy() // what former processes left
	}
	return nil
}

// there reports whether the file has not been removed or replaced.
func (f *files) there() bool {
	named, err := os.Stat(f.file.Name())
	if err != nil {
		return false
	}
	open, err := f.file.Stat()
	return err == nil && os.SameFile(named, open)
}

// shut closes the file, which is not written to again.
func (f *files) shut() {
	if f.file == nil {
		return
	}
	if err := errors.Join(f.file.Sync(), f.file.Close()); err != nil {
		f.stats.Err = err
	}
	f.file = nil
}

// close shuts the file, which stays as it is, and waits for what is being tidied.
func (f *files) close(ctx context.Context) error {
	f.mu.Lock()
	f.closed = true
	f.shut()
	tidying := f.tidying
	f.mu.Unlock()
	if tidying != nil {
		select {
		case <-tidying:
		case <-ctx.Done():
			f.giveUp()
			<-tidying // at once: it looks at each block
		}
	}
	f.giveUp()
	return nil
}
