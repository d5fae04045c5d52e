// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package linefile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A LongError is about a line that is too long.
type LongError struct{ Most int }

// Error says how long a line may be.
func (e *LongError) Error() string {
	return fmt.Sprintf("got more than %d bytes, want a shorter line", e.Most)
}

// Lines reads lines, and may go on when a file has grown. Make one with [NewLines]; it is not safe for concurrent use.
type Lines struct {
	from     io.Reader
	most     int
	buffer   []byte // what was read and not returned is from start on
	start    int
	searched int  // bytes from start on that have no end of a line
	skipping bool // the rest of a line that is too long
	number   uint64
	read     int64
	err      error // of reading, which came with what was read
}

// NewLines reads lines of at most that many bytes, without their ends.
func NewLines(from io.Reader, most int) *Lines { return &Lines{from: from, most: most} }

// Number is that of the last line that Next has returned, from 1.
func (l *Lines) Number() uint64 { return l.number }

// BytesRead is how much was read so far.
func (l *Lines) BytesRead() int64 { return l.read }

// Rest is a line without an end, behind the others, once Next has returned io.EOF.
func (l *Lines) Rest() []byte {
	if l.skipping {
		return nil
	}
	return l.buffer[l.start:]
}

// Next returns the next line that has an end, without it and valid until the next call. The error of a line that is too
// long is a [LongError]; the next call returns the one behind it. After io.EOF it may be called again: the reader may
// have more by then.
func (l *Lines) Next() ([]byte, error) {
	for {
		text := l.buffer[l.start:]
		if at := bytes.IndexByte(text[l.searched:], '\n'); at >= 0 {
			line := text[: l.searched+at : l.searched+at]
			l.start, l.searched = l.start+len(line)+1, 0
			if l.skipping {
				l.skipping = false
				continue
			}
			l.number++
			if len(line) > l.most {
				return nil, &LongError{l.most}
			}
			return line, nil
		}
		switch l.searched = len(text); {
		case l.skipping:
			l.start, l.searched = len(l.buffer), 0
		case l.searched > l.most:
			l.skipping = true
			l.number++
			return nil, &LongError{l.most}
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// firstBuffer is how large the buffer is at first, in bytes.
const firstBuffer = 64 << 10

// fill reads once.
func (l *Lines) fill() error {
	if l.start > 0 {
		l.buffer = append(l.buffer[:0], l.buffer[l.start:]...)
		l.start = 0
	}
	if len(l.buffer) == cap(l.buffer) {
		l.buffer = slices.Grow(l.buffer, max(len(l.buffer), min(l.most+1, firstBuffer)))
	}
	if err := l.err; err != nil {
		l.err = nil
		return err
	}
	for range 100 {
		n, err := l.from.Read(l.buffer[len(l.buffer):cap(l.buffer)])
		l.buffer = l.buffer[:len(l.buffer)+n]
		if l.read += int64(n); n > 0 {
			l.err = err
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// Each calls f with each line, the last one also if it has no end: then whole is false. It ends with an error of f, of
// reading, or of a line that is too long.
func Each(from io.Reader, most int, f func(number int, line []byte, whole bool) error) error {
	lines := NewLines(from, most)
	for {
		line, err := lines.Next()
		number := int(lines.Number())
		var long *LongError
		switch {
		case err == nil:
			err = f(number, line, true)
		case err == io.EOF && len(lines.Rest()) > 0:
			return f(number+1, lines.Rest(), false)
		case err == io.EOF:
			return nil
		case errors.As(err, &long):
			return fmt.Errorf("line %d: %w", number, err)
		default:
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		if err != nil {
			return err
		}
	}
}

// OpenRead opens a file for reading; one whose name ends with .gz is read as compressed.
func OpenRead(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	switch {
	case err != nil:
		return nil, err
	case !strings.HasSuffix(path, ".gz"):
		return file, nil
	}
	from, err := gzip.NewReader(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return &compressed{from, file}, nil
}

// compressed is a compressed file.
type compressed struct {
	*gzip.Reader
	file *os.File
}

// Close closes the file.
func (c *compressed) Close() error { return c.file.Close() }
