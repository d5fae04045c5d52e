// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	maxTail       = 1 << 10  // bytes of standard error that are kept
	maxStderrLine = 16 << 10 // bytes of a line; longer ones are reported in pieces
)

// A stderrTail reads a child's standard error, keeps the last of it, and tells it by the
// line.
type stderrTail struct {
	from *os.File
	done chan struct{}

	mu   sync.Mutex
	kept []byte
}

func (s *server) newTail(from *os.File) *stderrTail {
	t := &stderrTail{from: from, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		lines := bufio.NewReaderSize(from, maxStderrLine)
		for {
			part, err := lines.ReadSlice('\n')
			t.keep(part)
			if tell := s.m.options.OnStderr; tell != nil && len(part) > 0 {
				line := strings.TrimRight(string(part), "\r\n")
				s.m.events.put(len(line), func() { tell(s.conf.Name, line) })
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	}()
	return t
}

func (t *stderrTail) keep(part []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, part...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

func (t *stderrTail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
}

// close ends the reading, once what the process wrote before its end has been read.
func (t *stderrTail) close() {
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
	}
	t.from.Close()
	<-t.done
}

// closeTime is how long is waited at most for what is about to come: the end of a process
// whose pipes have ended, and the end of the pipes of one that was killed with its group. On a
// machine that is busy with other things it may take a while.
const closeTime = time.Second
