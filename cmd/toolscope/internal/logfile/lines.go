// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logfile

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/internal/linefile"
)

// MaxLine is the longest line that is read, in bytes, with its end.
const MaxLine = 1 << 20

// NewLines returns a splitter that has read nothing.
func NewLines(from io.Reader) *linefile.Lines { return linefile.NewLines(from, MaxLine-1) }

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
		file, err := linefile.OpenRead(path)
		if err != nil {
			return nil, 0, errors.Join(err, all.Close())
		}
		all.closers = append(all.closers, file)
		readers = append(readers, file)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !strings.HasSuffix(path, ".gz") {
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
