// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"errors"
	"io"
	"iter"
)

// errStopped is the error of a stream that its consumer left before its end.
var errStopped error = &Error{Kind: ErrCanceled, Message: "the consumer stopped before the end of the stream"}

// StreamSeq returns seq such that it counts chunks for s and ends s: at the end of seq, at its
// first error, when the consumer stops, or by a panic, which goes on. size is a chunk's size in
// bytes; nil counts no bytes. A stream that becomes garbage before it was read ends s as abandoned.
// A nil seq ends s as a success, and is returned.
func StreamSeq[T any](s *Running, seq iter.Seq2[T, error], size func(T) int) iter.Seq2[T, error] {
	if seq == nil {
		s.End(Result{}, nil)
		return nil
	}
	return func(yield func(T, error) bool) {
		returned := false
		defer func() {
			if !returned {
				s.unwind(recover())
			}
		}()
		stopped := false
		seq(func(chunk T, err error) bool {
			if err != nil {
				s.End(Result{}, err)
			} else {
				s.Chunk(sizeOf(chunk, size))
			}
			stopped = !yield(chunk, err)
			return !stopped
		})
		returned = true
		if stopped {
			s.End(Result{}, errStopped)
			return
		}
		s.End(Result{}, nil)
	}
}

// StreamRecv returns recv such that it counts chunks for s and ends s: at [io.EOF] as a success,
// at another error, or by a panic, which goes on. size is a chunk's size in bytes; nil counts no
// bytes. A stream that becomes garbage before its end ends s as abandoned. A nil recv ends s as a
// success, and is returned.
func StreamRecv[T any](s *Running, recv func() (T, error), size func(T) int) func() (T, error) {
	if recv == nil {
		s.End(Result{}, nil)
		return nil
	}
	return func() (T, error) {
		returned := false
		defer func() {
			if !returned {
				s.unwind(recover())
			}
		}()
		chunk, err := recv()
		returned = true
		switch {
		case err == nil:
			s.Chunk(sizeOf(chunk, size))
		case errors.Is(err, io.EOF):
			s.End(Result{}, nil)
		default:
			s.End(Result{}, err)
		}
		return chunk, err
	}
}

// StreamReader returns r such that each read counts as a chunk of s, and ends s: at [io.EOF] as a
// success, at another error, or when r is closed before. A reader that becomes garbage before
// ends s as abandoned. Other methods of r, such as WriteTo, are hidden. A nil r ends s as a success,
// and is returned.
func StreamReader(s *Running, r io.ReadCloser) io.ReadCloser {
	if r == nil {
		s.End(Result{}, nil)
		return nil
	}
	return &streamReader{s, r}
}

type streamReader struct {
	running *Running
	reader  io.ReadCloser
}

func (r *streamReader) Read(p []byte) (int, error) {
	n, err := r.reader.Read(p)
	if n > 0 {
		r.running.Chunk(n)
	}
	switch {
	case errors.Is(err, io.EOF):
		r.running.End(Result{}, nil)
	case err != nil:
		r.running.End(Result{}, err)
	}
	return n, err
}

func (r *streamReader) Close() error {
	err := r.reader.Close()
	r.running.End(Result{}, errStopped)
	return err
}

// sizeOf is a chunk's size; 0 if size is nil or panics.
func sizeOf[T any](chunk T, size func(T) int) (n int) {
	if size == nil {
		return 0
	}
	var panicked string
	defer contain("size", &panicked)
	return size(chunk)
}
