// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A segment is one file of records of one class. It is only used by the store's goroutine.
type segment struct {
	folder *folder
	class  class
	made   int64 // when, in nanoseconds since 1970: its name
	path   string
	id     uint64
	file   *os.File // while it is written or read
	size   int64
	last   int64 // when the last record was appended

	records, spans int      // that wait
	counted        bool     // those two, and the damage, are known
	index          []*entry // what waits, in order, while loaded
	loaded         bool
	flight         int       // entries that are being sent
	unread         time.Time // when it could not be read, lately
}

// An entry is a record that waits.
type entry struct {
	segment *segment
	offset  int64
	header
	view    []*tracepb.ResourceSpans // what it holds, if that is still in memory
	late    bool                     // it had to wait
	sending bool                     // a request with it is under way
}

// maxSegment is the size of a file that is read at all.
const maxSegment = 64 << 20

// readAgain is after what time a segment that could not be read is tried again.
const readAgain = 10 * time.Second

const (
	suffix    = ".segment"
	rewriting = "rewriting" // a segment's new content, until it replaces the old one
)

var classNames = [classes]string{others: "other", failures: "failed"}

// newSegment makes a file for records.
func (s *system) newSegment(f *folder, c class, made int64) (*segment, error) {
	g := &segment{folder: f, class: c, made: made, id: rand.Uint64(), counted: true, loaded: true, size: segmentHeader}
	g.path = filepath.Join(f.path, fmt.Sprintf("%016x-%s%s", made, classNames[c], suffix))
	var err error
	if g.file, err = s.open(g.path, os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		return nil, err
	}
	if err := s.write(g.file, newSegmentHeader(g.id), 0); err != nil {
		_ = g.file.Close()
		_ = os.Remove(g.path)
		return nil, err
	}
	return g, nil
}

// segmentsOf are the segments that a folder holds, oldest first; those of another
// version are left to it.
func segmentsOf(f *folder) (all []*segment, foreign int, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		if e.Name() == rewriting && f.lock != nil {
			_ = os.Remove(filepath.Join(f.path, rewriting)) // begun, and not finished
		}
		made, c, ok := segmentName(e.Name())
		info, err := e.Info()
		if !ok || err != nil || !info.Mode().IsRegular() {
			continue
		}
		g := &segment{folder: f, class: c, made: made, path: filepath.Join(f.path, e.Name()), size: info.Size(),
			last: info.ModTime().UnixNano()}
		if g.version() != formatVersion {
			foreign++
			continue
		}
		all = append(all, g)
	}
	return all, foreign, nil
}

// segmentName reads the name of a segment's file.
func segmentName(name string) (made int64, c class, ok bool) {
	name, ok = strings.CutSuffix(name, suffix)
	hex, word, found := strings.Cut(name, "-")
	i := slices.Index(classNames[:], word)
	made, err := strconv.ParseInt(hex, 16, 64)
	return made, class(max(i, 0)), ok && found && i >= 0 && err == nil && made >= 0
}

// version is that of the file's format; the current one if it cannot be read.
func (g *segment) version() uint32 {
	f, err := os.Open(g.path)
	if err != nil {
		return formatVersion
	}
	defer f.Close()
	var b [segmentHeader]byte
	_, _ = f.ReadAt(b[:], 0) // a short one has no version
	_, version, known := segmentID(b[:])
	if !known {
		return formatVersion
	}
	return version
}

// rests reports whether the segment could not be read a moment ago.
func (g *segment) rests() bool { return time.Since(g.unread) < readAgain }

// load reads what waits in the segment, so that it can be sent.
func (g *segment) load(s *system) (d damage, err error) {
	if g.loaded {
		return d, nil
	}
	data, d, err := g.read(s)
	if err != nil {
		return d, err
	}
	g.records, g.spans = 0, 0
	found := scan(data, func(at int64, h header, _ []byte) {
		g.id = h.id
		if !h.done {
			g.index = append(g.index, &entry{segment: g, offset: at, header: h, late: true})
			g.records++
			g.spans += h.spans
			g.last = h.at
		}
	})
	d.torn += found.torn
	d.corrupt += found.corrupt
	d.spans += found.spans
	if g.counted {
		d = damage{}
	}
	g.loaded, g.counted = true, true
	return d, nil
}

// read opens the file and reads all of it. What is too large to be a segment counts
// as damaged, and as empty.
func (g *segment) read(s *system) (data []byte, d damage, err error) {
	if g.file == nil {
		if g.file, err = s.open(g.path, os.O_RDWR); err != nil && !errors.Is(err, fs.ErrNotExist) {
			g.file, err = s.open(g.path, os.O_RDONLY)
		}
		if err != nil {
			return nil, d, err
		}
	}
	info, err := g.file.Stat()
	if err != nil {
		return nil, d, err
	}
	if info.Size() > maxSegment {
		return nil, damage{corrupt: 1, spans: 1}, nil
	}
	data = make([]byte, info.Size())
	n, err := g.file.ReadAt(data, 0)
	if n == len(data) {
		err = nil // with io.EOF at times
	}
	return data, d, err
}

// unload forgets what can be read again.
func (g *segment) unload() {
	if g.flight > 0 {
		return
	}
	g.index, g.loaded = nil, false
	g.close()
}

func (g *segment) close() {
	if g.file != nil {
		_ = g.file.Close()
		g.file = nil
	}
}

// oldest is when the oldest record that waits was appended, as far as is known.
func (g *segment) oldest() time.Time {
	if g.loaded && len(g.index) > 0 {
		return time.Unix(0, g.index[0].at)
	}
	return time.Unix(0, g.made)
}

// payload reads what an entry holds; ok is false if it is damaged.
func (e *entry) payload() (payload []byte, ok bool) {
	payload = make([]byte, e.length)
	n, _ := e.segment.file.ReadAt(payload, e.offset+recordHeader)
	return payload, n == e.length && e.fits(payload)
}
