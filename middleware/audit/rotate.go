// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is the time in the name of a log that was set aside; names sort by it.
const stamp = "20060102T150405.000000000"

// follow sees to it that the file is open and is the one of the log's name: another process
// may have set it aside, or a caller may have moved it away. The lock is held.
func (l *Log) follow() error {
	if l.file != nil {
		named, err := os.Stat(l.path)
		if err == nil {
			var open os.FileInfo
			if open, err = l.file.Stat(); err == nil && os.SameFile(named, open) {
				return nil
			}
		}
		_ = errors.Join(l.file.Sync(), l.file.Close()) // its lines were written
		l.file = nil
	}
	return l.open()
}

// rotate sets the log aside if it has grown too large for a line more, or holds lines that are
// too old, and removes what was set aside before and is beyond the limits. The lock is
// held. Two processes may both do so: then a log that was set aside is small.
func (l *Log) rotate(line int64) error {
	o := &l.options
	if o.MaxBytes <= 0 && o.MaxAge <= 0 {
		return nil
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	full := o.MaxBytes > 0 && info.Size()+line > o.MaxBytes
	old := o.MaxAge > 0 && l.now().Sub(l.begun) > o.MaxAge/10
	if info.Size() == 0 || !full && !old {
		return nil
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	aside := fmt.Sprintf("%s.%s-%s", l.path, l.now().UTC().Format(stamp), hex.EncodeToString(random[:]))
	_ = errors.Join(l.file.Sync(), l.file.Close()) // its lines were written; Windows renames no open file
	l.file = nil
	renamed := os.Rename(l.path, aside)
	if errors.Is(renamed, os.ErrNotExist) { // another process was faster
		renamed = nil
	}
	if err := errors.Join(renamed, l.open()); err != nil {
		return err
	}
	return l.prune()
}

// prune removes the logs that were set aside and are beyond the limits, the oldest first.
func (l *Log) prune() error {
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if err != nil {
		return err
	}
	var aside []os.FileInfo
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(l.path)+".")
		at, _, _ := strings.Cut(rest, "-")
		if _, err := time.Parse(stamp, at); !ok || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			aside = append(aside, info)
		}
	}
	slices.SortFunc(aside, func(a, b os.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	var errs []error
	for i, info := range aside {
		many := l.options.MaxFiles > 0 && len(aside)-i > l.options.MaxFiles
		old := l.options.MaxAge > 0 && l.now().Sub(info.ModTime()) > l.options.MaxAge
		if many || old {
			if err := os.Remove(filepath.Join(filepath.Dir(l.path), info.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// beginning is the time of the file's first line; now if there is none that says.
func (l *Log) beginning(f *os.File) time.Time {
	line, _ := bufio.NewReader(io.NewSectionReader(f, 0, 64<<10)).ReadBytes('\n')
	var first struct{ Time time.Time }
	if json.Unmarshal(line, &first) != nil || first.Time.IsZero() {
		return l.now()
	}
	return first.Time
}
