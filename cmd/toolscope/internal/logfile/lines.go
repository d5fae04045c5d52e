// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logfile

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// MaxLine is the longest line that is read, in bytes, and the size of the only buffer.
const MaxLine = 1 << 20

// Lines splits what is read of a log into lines.
type Lines struct {
	buffer   []byte
	held     int    // bytes of a line that is not complete
	skipping bool   // the rest of a line that is too long
	number   uint64 // of the lines so far
}

// NewLines returns a splitter that has read nothing.
func NewLines() *Lines { return &Lines{buffer: make([]byte, MaxLine)} }

// Read reads once and calls line with the lines that became complete, nil for one that
// is too long; it must not keep them. With whole, the end of the log ends a line; else
// it may be written on. It returns how many bytes were read, and the reader's error.
func (l *Lines) Read(from io.Reader, whole bool, line func(number uint64, text []byte)) (int, error) {
	n, err := from.Read(l.buffer[l.held:])
	text := l.buffer[:l.held+n]
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		if l.skipping {
			l.skipping = false
		} else {
			l.number++
			line(l.number, text[:end:end])
		}
		text = text[end+1:]
	}
	if l.skipping {
		text = nil
	}
	if l.held = copy(l.buffer, text); l.held == len(l.buffer) {
		l.number++
		line(l.number, nil)
		l.held, l.skipping = 0, true
	}
	if err == io.EOF && whole && l.held > 0 {
		l.number++
		line(l.number, l.buffer[:l.held:l.held])
		l.held = 0
	}
	return n, err
}

// Open opens a log or a recording, "-" for standard input; size is 0 if unknown.
func Open(name string, stdin io.Reader) (from io.ReadCloser, size int64, err error) {
	if name == "-" {
		return io.NopCloser(stdin), 0, nil
	}
	paths, err := recordings.Paths(name)
	if err != nil {
		return nil, 0, err
	}
	all := new(files)
	var readers []io.Reader
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, 0, errors.Join(err, all.Close())
		}
		all.closers = append(all.closers, file)
		readers = append(readers, file)
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	if all.Reader = readers[0]; len(readers) > 1 {
		all.Reader = io.MultiReader(readers...)
	}
	return all, size, nil
}

// files are read one after the other.
type files struct {
	io.Reader
	closers []io.Closer
}

func (f *files) Close() (err error) {
	for _, c := range f.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}
