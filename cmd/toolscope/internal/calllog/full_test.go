// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	reader "github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

var errFull = errors.New("no space left on device")

// disk takes of each write as many bytes as are said, and all of the writes after.
type disk struct {
	bytes.Buffer
	takes []int
}

func (d *disk) Write(p []byte) (int, error) {
	if len(d.takes) == 0 {
		return d.Buffer.Write(p)
	}
	n := min(d.takes[0], len(p))
	d.takes = d.takes[1:]
	d.Buffer.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (*disk) Close() error { return nil }

// A line that the disk refuses is counted as dropped, and those behind it as written. Package linefile ends the part of it
// that the disk took.
func TestAFullDiskDropsLines(t *testing.T) {
	for _, c := range []struct {
		takes   []int
		want    string
		dropped uint64
	}{
		{nil, "one\ntwo\nthree\nfour\n", 0},
		{[]int{9, 0}, "one\nthree\nfour\n", 1},
		{[]int{9, 0, 0}, "one\nfour\n", 2},
	} {
		d := &disk{takes: c.takes}
		l := begin(d, Options{})
		for _, line := range []string{"one\n", "two\n", "three\n", "four\n"} {
			l.lines <- entry{text: []byte(line), ended: true}
		}
		if err := l.Close(); (err != nil) != (c.dropped > 0) || d.String() != c.want || l.Dropped() != c.dropped {
			t.Errorf("%v: got %q, %d dropped, %v, want %q, %d", c.takes, d.String(), l.Dropped(), err, c.want, c.dropped)
		}
		// The disk took the last line in all cases.
		if l.Failing() != nil || l.Written() != 4-c.dropped {
			t.Errorf("%v: got %d written, failing %v", c.takes, l.Written(), l.Failing())
		}
	}
}

func TestADiskThatStaysFull(t *testing.T) {
	l := begin(&disk{takes: []int{9, 0}}, Options{})
	l.lines <- entry{text: []byte("one\n"), ended: true}
	l.lines <- entry{text: []byte("two\n"), ended: true}
	if err := l.Close(); !errors.Is(err, errFull) || !errors.Is(l.Failing(), errFull) || l.Written() != 1 || l.Dropped() != 1 {
		t.Errorf("got %v, failing %v, %d written, %d dropped", err, l.Failing(), l.Written(), l.Dropped())
	}
}

// heldDisk takes nothing until it is released.
type heldDisk struct {
	disk
	released chan struct{}
}

func (d *heldDisk) Write(p []byte) (int, error) {
	<-d.released
	return d.disk.Write(p)
}

// A disk that hangs delays one call by two seconds, and no other one until it takes a line again.
func TestADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &heldDisk{released: make(chan struct{})}
		l := begin(d, Options{})
		for i, want := range []time.Duration{syncTime, 0, 0} {
			l.enqueue(entry{text: []byte("{}\n")})
			began := time.Now()
			if l.Sync(); time.Since(began) != want {
				t.Errorf("call %d waited for %v, want %v", i, time.Since(began), want)
			}
		}
		close(d.released)
		synctest.Wait()
		l.enqueue(entry{text: []byte("{}\n")})
		if l.Sync(); d.String() != "{}\n{}\n{}\n{}\n" {
			t.Errorf("got %q before the next call, want its line", d.String())
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What had no room is recorded in the log itself, as soon as there is room.
func TestDroppedLinesAreRecorded(t *testing.T) {
	d := &heldDisk{released: make(chan struct{})}
	log := begin(d, Options{Server: "files"})
	ended := &toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "x"}}, End: time.Unix(1, 0)}
	for range maxQueue - 10 {
		log.enqueue(entry{text: []byte("{}\n"), ended: true})
	}
	for range 110 { // ten fill the queue, and one may while a line is being written
		log.End(t.Context(), ended)
	}
	close(d.released)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	dropped := uint64(0)
	for line := range strings.Lines(d.String()) {
		_, n := reader.RecordOf([]byte(line))
		dropped += n
	}
	if dropped < 99 || dropped != log.Dropped() || dropped+log.Written() != maxQueue+100 {
		t.Errorf("got %d dropped lines in the log, want %d, at least 99; %d written", dropped, log.Dropped(), log.Written())
	}
}
