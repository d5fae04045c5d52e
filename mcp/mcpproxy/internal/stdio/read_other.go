// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package stdio

import (
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// input reads from a pipe.
type input struct {
	file   *os.File
	exited *atomic.Bool // the process whose output it is has ended
}

func newInput(f *os.File, exited *atomic.Bool) (*input, error) { return &input{f, exited}, nil }

// read reads what is there, and waits for something if nothing is. errIdle says that the
// process has ended and nothing came for idleTime.
func (i *input) read(b []byte) (int, error) {
	if i.exited.Load() {
		wake(i.file)
	}
	n, err := i.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, errIdle
	}
	return n, err
}

// wake ends the waiting of who reads after idleTime. Not every pipe has deadlines.
func wake(f *os.File) { _ = f.SetReadDeadline(time.Now().Add(idleTime)) }

// readReady reads what is there.
func (i *input) readReady(b []byte) (int, error) { return i.read(b) }

// waitsForEither says that waitForEither works.
const waitsForEither = false

func waitForEither(_, _ *frameReader, _ time.Duration) *frameReader { return nil }
