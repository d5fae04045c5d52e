// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Part is what one process keeps in a directory.
type Part struct {
	Name           string // of the folder: the process's id comes first
	Running        bool   // the process runs, and sends it
	Records, Spans int
	Failed         int // of the spans, those that ended with an error
	Bytes          int64
	Oldest         time.Time // zero if nothing waits
	Damaged        int       // parts of files that could not be read
}

// List tells what waits in a directory. It changes nothing, and processes may use the directory meanwhile.
func List(dir string) (parts []Part, err error) {
	err = look(dir, func(p *Part, h header, _ []byte) error {
		p.Records++
		p.Spans += h.spans
		if h.class == failures {
			p.Failed += h.spans
		}
		if at := time.Unix(0, h.at); p.Oldest.IsZero() || at.Before(p.Oldest) {
			p.Oldest = at
		}
		return nil
	}, func(p *Part) { parts = append(parts, *p) })
	return parts, err
}

// Read calls take with all spans that wait in a directory. It changes nothing.
func Read(dir string, take func([]*tracepb.ResourceSpans) error) error {
	return look(dir, func(_ *Part, _ header, payload []byte) error {
		var data tracepb.TracesData
		if proto.Unmarshal(payload, &data) != nil {
			return nil // counted by List
		}
		return take(data.GetResourceSpans())
	}, func(*Part) {})
}

// look reads every record that waits, folder after folder.
func look(dir string, found func(*Part, header, []byte) error, end func(*Part)) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	paths, err := folders(dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		p := &Part{Name: filepath.Base(path), Running: isRunning(path), Bytes: weigh(path)}
		all, _, err := segmentsOf(&folder{path: path})
		if errors.Is(err, fs.ErrNotExist) {
			continue // its process is done with it
		}
		for _, g := range all {
			data, err := os.ReadFile(g.path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			var failed error
			d := scan(data, func(_ int64, h header, payload []byte) {
				if !h.done && failed == nil {
					failed = found(p, h, payload)
				}
			})
			if failed != nil {
				return failed
			}
			p.Damaged += d.torn + d.corrupt
		}
		end(p)
	}
	return nil
}

// isRunning reports whether a process has the lock of a folder.
func isRunning(path string) bool {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() // which gives the lock back
	taken, err := lock(f)
	return err == nil && !taken
}

// Purge deletes what waits in a directory of processes that have ended, and returns how many spans that
// were. Others are left: see [ErrHeld].
func Purge(ctx context.Context, dir string) (spans int, err error) {
	o, err := Options{}.complete()
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(dir); err != nil {
		return 0, err
	}
	st := newStore(dir, o, newTally(), newSystem())
	defer st.close()
	st.adopt()
	for _, g := range slices.Concat(st.lists[:]...) {
		if err := ctx.Err(); err != nil {
			return spans, err
		}
		_ = st.open(g) // what cannot be read is deleted as well
		spans += g.spans
		st.remove(g)
	}
	if len(st.remains) > 0 {
		return spans, errors.New("spool: " + st.tally.snapshot().DiskError)
	}
	return spans, st.held()
}

// Restore takes spans that had been set aside: see [Spool.SetRejected]. They count as found.
func (s *Spool) Restore(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	n := count(spans)
	s.tally.update(func(t *Stats) { t.Found += uint64(n) })
	return s.takeSpans(ctx, spans, n)
}
