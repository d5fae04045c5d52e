// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"os"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/mcp/internal/skim"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
)

// framedRead is the most bytes of one read where frames are inspected before they are forwarded: they are
// copied anyway.
const framedRead = 256 << 10

// frameReader passes on what comes from one end, a frame at a time.
type frameReader struct {
	from   *os.File
	tap    *frames.Tap
	stream *frames.Stream
	exited *atomic.Bool
	// whole is given each frame with its newline; it may keep it.
	whole func(frame []byte, at time.Time) error
	// long is given the pieces of a frame that is longer than maxGoverned, and found what was
	// found in it, at its end.
	long  func(piece []byte) error
	found func(s *skim.Skimmer) error
	// rest is given what has no newline at the end.
	rest func(piece []byte) error

	held []byte
	skim *skim.Skimmer
}

// readFrames reads until an end is closed.
func (f *frameReader) readFrames() {
	in, err := newInput(f.from, f.exited)
	buffer, wide := make([]byte, framedRead), false
	for err == nil {
		n := 0
		if n, err = in.read(buffer); n == 0 {
			continue
		}
		at := time.Now()
		if n >= frames.NarrowRead && !wide {
			wide = true
			widen(f.from)
		}
		f.tap.CopyBytes(f.stream, at, buffer[:n])
		f.tap.Signal()
		if f.feed(buffer[:n], at) != nil {
			break
		}
	}
	if len(f.held) > 0 {
		_ = f.rest(f.held) // no reader is left
	}
	f.tap.EndStream(f.stream, time.Now())
	f.tap.Signal()
}

func (f *frameReader) feed(data []byte, at time.Time) error {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		piece := data
		if end > 0 {
			piece = data[:end]
		}
		data = data[len(piece):]
		if err := f.piece(piece, end > 0, at); err != nil {
			return err
		}
	}
	return nil
}

// piece takes in a part of a frame, or all of it.
func (f *frameReader) piece(piece []byte, last bool, at time.Time) error {
	switch {
	case f.skim != nil:
		if err := f.longPiece(piece); err != nil {
			return err
		}
	case len(f.held)+len(piece) > govern.MaxGoverned:
		f.skim = new(skim.Skimmer)
		held := f.held
		f.held = nil
		if err := f.longPiece(held); err != nil {
			return err
		}
		if err := f.longPiece(piece); err != nil {
			return err
		}
	default:
		f.held = append(f.held, piece...)
	}
	if !last {
		return nil
	}
	if skim := f.skim; skim != nil {
		f.skim = nil
		return f.found(skim)
	}
	frame := f.held
	f.held = nil
	return f.whole(frame, at)
}

func (f *frameReader) longPiece(piece []byte) error {
	f.skim.Feed(piece)
	return f.long(piece)
}
