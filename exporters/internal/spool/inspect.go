// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Damaged        int       // parts of files that are no records
	Lost           int       // spans in them, at least
	Err            error     // what of it could not be read, and why; nil if all could
}

// List tells what waits in a directory. It changes nothing, and processes may use the directory meanwhile. What
// cannot be read is no error, but in its part.
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

// Read calls take with all spans that wait in a directory. It changes nothing. What cannot be read is an
// error, after all that can be.
func Read(dir string, take func(p Part, all []*tracepb.ResourceSpans) error) error {
	var unread []error
	err := look(dir, func(p *Part, _ header, payload []byte) error {
		var data tracepb.TracesData
		if proto.Unmarshal(payload, &data) != nil {
			return nil // counted by List
		}
		return take(*p, data.GetResourceSpans())
	}, func(p *Part) { unread = append(unread, p.Err) })
	return errors.Join(append(unread, err)...)
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
		p := &Part{Name: filepath.Base(path), Bytes: weigh(path)}
		p.Running, p.Err = isRunning(path)
		all, _, err := segmentsOf(&folder{path: path})
		if errors.Is(err, fs.ErrNotExist) {
			continue // its process is done with it
		}
		p.Err = cmp.Or(p.Err, err)
		for _, g := range all {
			data, err := os.ReadFile(g.path)
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					p.Err = cmp.Or(p.Err, err)
				}
				continue
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
			p.Lost += d.spans
		}
		end(p)
	}
	return nil
}

// isRunning reports whether a process has the lock of a folder.
func isRunning(path string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close() // which gives the lock back
	taken, err := lock(f)
	return err == nil && !taken, err
}

// Purge deletes what waits in a directory of processes that have ended, and returns how many spans that
// were; of damaged parts, those that can be counted. Others are left: see [ErrHeld]. So is what cannot be read,
// which is an error, too.
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
	var unread []error
	for _, g := range slices.Concat(st.lists[:]...) {
		if err := ctx.Err(); err != nil {
			return spans, err
		}
		d, err := g.load(st.system)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		spans += g.spans + d.spans
		st.remove(g)
	}
	if len(st.remains) > 0 {
		unread = append(unread, errors.New("spool: "+st.tally.snapshot().DiskError))
	}
	return spans, errors.Join(append(unread, st.held())...)
}

// Session is how many spans of a session wait in a directory, of processes that have ended: what
// [DeleteSession] would delete. It changes nothing.
func Session(dir, id, tenant string) (spans int, err error) {
	p, running := newPurge(id, tenant), map[string]bool{}
	err = Read(dir, func(_ Part, all []*tracepb.ResourceSpans) error { p.look(all); return nil })
	if err == nil {
		err = Read(dir, func(part Part, all []*tracepb.ResourceSpans) error {
			if n := count(all) - count(only(all, p.keeps)); !part.Running {
				spans += n
			} else if n > 0 {
				running[part.Name] = true
			}
			return nil
		})
	}
	if len(running) > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d of its folders", ErrHeld, len(running)))
	}
	return spans, err
}

// Restore takes spans that had been set aside: see [Spool.SetRejected]. They count as found.
func (s *Spool) Restore(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	n := count(spans)
	s.tally.update(func(t *Stats) { t.Found += uint64(n) })
	return s.takeSpans(ctx, spans, n)
}
