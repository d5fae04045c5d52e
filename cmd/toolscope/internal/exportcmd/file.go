// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exportcmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// exportFile is where an export is written: standard output, or a file that takes its
// name when it is whole.
type exportFile struct {
	io.Writer
	file *os.File // nil for standard output
	name string   // "" for what is no regular file
	done bool
}

// create opens what the export is written to.
func (o *options) create(stdout io.Writer) (*exportFile, error) {
	if o.output == "" || o.output == "-" {
		return &exportFile{Writer: stdout}, nil
	}
	in, err := os.Stat(o.file)
	if out, e := os.Stat(o.output); err == nil && e == nil && os.SameFile(in, out) {
		return nil, fmt.Errorf("-o: got %s, which is the log itself", o.output)
	} else if e == nil && !out.Mode().IsRegular() {
		file, err := os.OpenFile(o.output, os.O_WRONLY, 0) // a pipe or a device
		if err != nil {
			return nil, fmt.Errorf("-o: %w", err)
		}
		return &exportFile{Writer: file, file: file}, nil
	}
	file, err := os.CreateTemp(filepath.Dir(o.output), "."+filepath.Base(o.output)+".*")
	if err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	return &exportFile{Writer: file, file: file, name: o.output}, nil
}

// commit gives the file its name.
func (f *exportFile) commit() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if err == nil && f.name != "" {
		err = os.Rename(f.file.Name(), f.name)
	}
	f.done = err == nil
	return err
}

// abandon removes what was not committed.
func (f *exportFile) abandon() {
	if f.file == nil || f.done {
		return
	}
	_ = f.file.Close()
	if f.name != "" {
		_ = os.Remove(f.file.Name())
	}
}
