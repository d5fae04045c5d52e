// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
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

	"github.com/toolscope/toolscope/internal/errorgroups"
)

// A directory of intervals holds files that are only ever appended to, each by one
// process: a line that says what it is, and a record for each interval (see
// record.go). A process that dies in the middle of a record leaves it torn; it is
// the last one, since the next process begins a file of its own.
const (
	filePrefix = "intervals-"
	fileSuffix = ".toolscope"
	fileHead   = "toolscope intervals 1\n"
	maxFile    = 4 << 20
	// maxQueue is how many intervals wait to be written while the disk is slow.
	maxQueue = 64
	maxNotes = 20
)

var errSlow = errors.New("the disk is too slow: an interval was not written")

// store writes intervals in a goroutine that lives while there is something to
// write. A nil store keeps nothing.
type store struct {
	directory string
	maxBytes  int64
	retention time.Duration
	now       func() time.Time

	mu     sync.Mutex
	queue  [][]byte
	idle   chan struct{} // closed when the writer has nothing to do; nil if none runs
	closed bool
	err    error // the first error of writing
	fails  error // what the last interval met; nil if it was written
	notes  []string

	file *os.File // the writer's own
	size int64
}

// openStore makes the directory if need be, reads back what it holds, and removes
// what is too old or too much, as of now.
func openStore(c config, now int64, h *history, e *errorgroups.Table, p *policyTable) (*store, error) {
	s := &store{directory: c.Directory, maxBytes: c.MaxDirectoryBytes, retention: c.Retention, now: c.now}
	if err := os.MkdirAll(c.Directory, 0o700); err != nil {
		return nil, fmt.Errorf("stats: Options.Directory: got %q, want a directory that can be written: %w", c.Directory, err)
	}
	files, err := s.prune()
	if err != nil {
		return nil, fmt.Errorf("stats: Options.Directory: got %q, want a directory that can be read: %w", c.Directory, err)
	}
	in := restorer{history: h, errors: e, policies: p, now: now, maxTools: c.MaxTools, note: s.note}
	for _, f := range files {
		in.file(filepath.Join(s.directory, f.Name()))
	}
	in.finish()
	if in.later > 0 {
		s.note("%d intervals begin after the time now, since the system clock was set back: "+
			"they are counted in the total only", in.later)
	}
	return s, nil
}

// note remembers what went wrong, up to a bound.
func (s *store) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) < maxNotes {
		s.notes = append(s.notes, fmt.Sprintf(format, args...))
	}
}

// append hands an interval to the writer. Its times are ahead of the wall clock's.
func (s *store) append(v *sealed, groups *errorgroups.Table, ahead int64) {
	if s == nil {
		return
	}
	texts := groups.Texts(v.errors)
	if ahead != 0 {
		v = v.moved(-ahead)
		for i := range texts {
			texts[i].First -= ahead
			texts[i].Last -= ahead
		}
	}
	record := appendRecord(v, texts)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if len(s.queue) == maxQueue {
		s.queue = s.queue[1:]
		s.fail(errSlow)
	}
	s.queue = append(s.queue, record)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.write(s.idle)
	}
}

// write writes the queue until it is empty.
func (s *store) write(idle chan struct{}) {
	defer close(idle)
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.idle = nil
			s.mu.Unlock()
			return
		}
		record := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		err := s.put(record)
		s.mu.Lock()
		s.fails = nil
		if err != nil {
			s.fail(err)
		}
		s.mu.Unlock()
	}
}

// put appends a record to the file, or begins a new one.
func (s *store) put(record []byte) error {
	if s.file != nil && s.size+int64(len(record)) > maxFile {
		s.shut()
	}
	if s.file == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	n, err := s.file.Write(record)
	s.size += int64(n)
	if err != nil {
		s.shut() // what comes next must not follow half a record
	}
	return err
}

func (s *store) begin() error {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	name := filePrefix + s.now().UTC().Format("20060102T150405.000000000") + "-" + hex.EncodeToString(random[:]) + fileSuffix
	f, err := os.OpenFile(filepath.Join(s.directory, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := f.WriteString(fileHead)
	if err != nil {
		_ = f.Close()
		return err
	}
	s.file, s.size = f, int64(n)
	_, err = s.prune()
	return err
}

func (s *store) shut() {
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}

// prune removes the files beyond the limits of age and size, and returns those
// left, the oldest first. The file being written stays. A file from the future was written before
// the system clock was set back, so it is older than the others.
func (s *store) prune() ([]os.FileInfo, error) {
	entries, err := os.ReadDir(s.directory)
	if err != nil {
		return nil, err
	}
	var files []os.FileInfo
	total := int64(0)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filePrefix) || !strings.HasSuffix(e.Name(), fileSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			total += info.Size()
		}
	}
	now := s.now()
	future := func(f os.FileInfo) int {
		if f.ModTime().After(now.Add(time.Minute)) {
			return 0
		}
		return 1
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int {
		return cmp.Or(future(a)-future(b), strings.Compare(a.Name(), b.Name()))
	})
	oldest := now.Add(-s.retention)
	return slices.DeleteFunc(files, func(f os.FileInfo) bool {
		own := s.file != nil && f.Name() == filepath.Base(s.file.Name())
		if own || total <= s.maxBytes && f.ModTime().After(oldest) {
			return false
		}
		if os.Remove(filepath.Join(s.directory, f.Name())) != nil {
			return false
		}
		total -= f.Size()
		return true
	}), nil
}

// fail remembers an error of writing. The caller holds the lock.
func (s *store) fail(err error) {
	s.fails = fmt.Errorf("stats: writing intervals: %w", err)
	if s.err == nil {
		s.err = s.fails
		s.notes = append(s.notes, s.err.Error())
	}
}

// close waits until all is written and returns the first error of writing.
func (s *store) close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	idle := s.idle
	s.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("stats: writing intervals: %w", context.Cause(ctx))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
	return s.err
}

// Notes tell what was wrong with [Options].Directory: what could not be
// read back, and the first error of writing. At most 20 are kept.
func (r *Recorder) Notes() []string {
	if r.store == nil {
		return nil
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return slices.Clone(r.store.notes)
}

// failure is why the last interval could not be written; nil if it was.
func (s *store) failure() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fails
}
