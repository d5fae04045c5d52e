// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// edit calls change with each line of a file, without its end. change may overwrite the
// line's bytes, and returns how many things it removed; edit returns their sum. In a dry run
// nothing is written.
func edit(path string, dry bool, change func(line []byte) int) (removed int, err error) {
	if strings.HasSuffix(path, ".gz") {
		removed, err = editCompressed(path, dry, change)
	} else {
		removed, err = editPlain(path, dry, change)
	}
	if err != nil {
		err = fmt.Errorf("retention: %s: %w", path, withoutPath(err))
	}
	return removed, err
}

// withoutPath is err without a path of its own, which the caller tells.
func withoutPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Op, p.Err)
	}
	return err
}

// editPlain overwrites lines where they stand. The file keeps its modification time, which
// determines its age, to a millisecond, unless a process appended to it meanwhile.
func editPlain(path string, dry bool, change func([]byte) int) (removed int, err error) {
	mode := os.O_RDWR
	if dry {
		mode = os.O_RDONLY
	}
	file, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	before, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if !before.Mode().IsRegular() {
		return 0, fmt.Errorf("got a %v, want a file", before.Mode().Type())
	}
	err = eachLine(file, func(at int64, line []byte) error {
		n := change(line)
		if n == 0 {
			return nil
		}
		removed += n
		if dry {
			return nil
		}
		_, err := file.WriteAt(line, at)
		return err
	})
	if dry || removed == 0 || err != nil {
		return removed, err
	}
	if err := file.Sync(); err != nil {
		return removed, err
	}
	if after, err := file.Stat(); err == nil && after.Size() == before.Size() {
		// Who was just copying the file, to compress it, sees by its time that it changed.
		_ = os.Chtimes(path, time.Time{}, before.ModTime().Add(time.Millisecond)) // the file is right without it
	}
	return removed, nil
}

// editCompressed writes the file anew next to it, and puts it in its place when all of it
// is on the disk.
func editCompressed(path string, dry bool, change func([]byte) int) (removed int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return 0, err
	}
	zip, err := gzip.NewReader(file)
	if err != nil {
		return 0, err
	}
	if dry {
		err = eachLine(zip, func(_ int64, line []byte) error { removed += change(line); return nil })
		return removed, err
	}
	made, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.part") // 0600
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = made.Close()
		_ = os.Remove(made.Name()) // it was renamed, or is of no use
	}()
	to := gzip.NewWriter(made)
	to.ModTime = zip.ModTime
	err = eachLine(zip, func(_ int64, line []byte) error {
		removed += change(line)
		_, err := to.Write(append(line, '\n'))
		return err
	})
	if err != nil || removed == 0 {
		return 0, err
	}
	if err := errors.Join(to.Close(), made.Sync(), made.Chmod(before.Mode().Perm()), made.Close(),
		os.Chtimes(made.Name(), time.Time{}, before.ModTime()), file.Close()); err != nil {
		return 0, err
	}
	return removed, os.Rename(made.Name(), path)
}

// eachLine calls f with each line, without its end, and where it begins.
func eachLine(from io.Reader, f func(at int64, line []byte) error) error {
	r := bufio.NewReaderSize(from, 64<<10)
	at, number := int64(0), 0
	var line []byte
	for {
		line = line[:0]
		number++
		var err error
		for more := true; more; {
			var part []byte
			part, err = r.ReadSlice('\n')
			line = append(line, part...)
			more = errors.Is(err, bufio.ErrBufferFull)
			if len(line) > maxLine {
				return fmt.Errorf("line %d: got more than %d bytes, want shorter lines", number, maxLine)
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		next := at + int64(len(line))
		if len(line) > 0 {
			if err := f(at, bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		at = next
	}
}
