// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
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

	"github.com/toolscope/toolscope/internal/linefile"
)

// stamp is the time in the name of a log that was set aside; names sort by it.
const stamp = "20060102T150405.000000000"

// follow sees to it that the file is open and is the one of the log's name: another process
// may have set it aside, or a caller may have moved it away. The lock is held.
func (l *Log) follow() error {
	if l.file != nil {
		if l.file.Named() && linefile.IsNamed(l.state, statePath(l.path)) {
			return nil
		}
		_ = l.shut() // its lines were written
	}
	return l.open()
}

// reopen opens the log of the name if that is another one than is open. The state stays open, and its lock held.
func (l *Log) reopen() error {
	if l.file.Named() {
		return nil
	}
	_ = l.file.Sync() // its lines were written
	if err := l.file.Follow(); err != nil {
		return err
	}
	l.begun = l.beginning()
	return nil
}

// rotate sets the log aside if it has grown too large for a line more, or holds lines that are
// too old, and removes what was set aside before and is beyond the limits. The lock is
// held, and that of the state.
func (l *Log) rotate(line int64) (rotated bool, err error) {
	o := &l.options
	if o.MaxBytes <= 0 && o.MaxAge <= 0 {
		return false, nil
	}
	info, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	full := o.MaxBytes > 0 && info.Size()+line > int64(o.MaxBytes)
	old := o.MaxAge > 0 && l.now().Sub(l.begun) > o.MaxAge/10
	if info.Size() == 0 || !full && !old {
		return false, nil
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	aside := fmt.Sprintf("%s.%s-%s", l.path, l.now().UTC().Format(stamp), hex.EncodeToString(random[:]))
	_ = l.file.Sync() // its lines were written
	if err := l.file.Rotate(func() error { return os.Rename(l.path, aside) }); err != nil {
		if !l.file.Named() {
			_ = l.shut()
		}
		return true, err
	}
	l.begun = l.beginning()
	return true, l.prune()
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
			l.pruned = max(l.pruned, lastOf(filepath.Join(filepath.Dir(l.path), info.Name())))
			if err := os.Remove(filepath.Join(filepath.Dir(l.path), info.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// lastOf is the number of the last entry of a file, 0 if it has none.
func lastOf(path string) uint64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	last, _, _ := lastEntry(f, info.Size())
	return last.seq
}

// beginning is the time of the file's first line; now if there is none that says.
func (l *Log) beginning() time.Time {
	const most = 64 << 10
	line, _ := linefile.NewLines(io.NewSectionReader(l.file, 0, most), most).Next()
	var first struct{ Time time.Time }
	if json.Unmarshal(line, &first) != nil || first.Time.IsZero() {
		return l.now()
	}
	return first.Time
}
