// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/mcp/internal/skim"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
)

// framedRead is the most bytes of one read where frames are inspected before they are forwarded: they are
// copied anyway.
const framedRead = 256 << 10

// A frame is a message with its newline.
type frame struct {
	data []byte // the reader may keep it; nil for one that was too long
	at   time.Time
	long *skim.Skimmer // what was found in one that was longer than maxGoverned
	torn bool          // the stream ended before its newline
}

// frameReader reads what comes from one end, a frame at a time. One goroutine at a time reads.
type frameReader struct {
	from   *os.File
	tap    *frames.Tap
	stream *frames.Stream
	exited *atomic.Bool
	// long is given the pieces of a frame that is too long, as they come.
	long func(piece []byte) error
	// wait is called before a read that may wait, and reports whether there is something to read; nil works.
	wait func() (ready bool)

	in     *input
	buffer []byte
	wide   bool
	at     time.Time
	unread []byte // of buffer
	held   []byte // of a frame that is not complete
	skim   *skim.Skimmer
	err    error // behind what is held
}

// next reads a frame. The error is [io.EOF] at the stream's end, or why it cannot be read to its end.
func (f *frameReader) next() (frame, error) {
	for {
		for len(f.unread) > 0 {
			end := bytes.IndexByte(f.unread, '\n') + 1
			piece := f.unread
			if end > 0 {
				piece = piece[:end]
			}
			f.unread = f.unread[len(piece):]
			if err := f.keep(piece); err != nil {
				return frame{}, err
			}
			if end > 0 {
				return f.takeFrame(false), nil
			}
		}
		if f.err == nil {
			f.err = f.read()
			continue
		}
		if len(f.held) > 0 {
			return f.takeFrame(true), nil
		}
		return frame{}, f.err
	}
}

// read reads what is there.
func (f *frameReader) read() (err error) {
	if err := f.open(); err != nil {
		return err
	}
	read := f.in.read
	if f.wait != nil && f.wait() {
		read = f.in.readReady
	}
	n, err := read(f.buffer)
	f.came(n)
	return err
}

// open makes the input, once.
func (f *frameReader) open() (err error) {
	if f.in == nil {
		f.buffer = make([]byte, framedRead)
		f.in, err = newInput(f.from, f.exited)
	}
	return err
}

// came takes in bytes that were read into the buffer.
func (f *frameReader) came(n int) {
	if n == 0 {
		return
	}
	f.at, f.unread = time.Now(), f.buffer[:n]
	if n >= frames.NarrowRead && !f.wide {
		f.wide = true
		widen(f.from)
	}
}

// show has the tap look at traffic. Calls and their answers are observed where they are governed.
func (f *frameReader) show(data []byte) {
	f.tap.CopyBytes(f.stream, f.at, data)
	f.tap.Signal()
}

// keep keeps a piece of a frame, or passes it to long.
func (f *frameReader) keep(piece []byte) error {
	switch {
	case f.skim != nil:
	case len(f.held)+len(piece) > govern.MaxGoverned:
		f.skim = new(skim.Skimmer)
		piece, f.held = append(f.held, piece...), nil
	default:
		f.held = append(f.held, piece...)
		return nil
	}
	f.skim.Feed(piece)
	f.show(piece)
	return f.long(piece)
}

// takeFrame takes the frame that was kept.
func (f *frameReader) takeFrame(torn bool) frame {
	taken := frame{data: f.held, at: f.at, long: f.skim, torn: torn}
	f.held, f.skim = nil, nil
	return taken
}

// end says that the stream is read no more.
func (f *frameReader) end() {
	f.tap.EndStream(f.stream, time.Now())
	f.tap.Signal()
}

// FrameWriter writes whole frames of several writers.
type FrameWriter struct {
	mu sync.Mutex
	To *os.File
}

func (f *FrameWriter) write(frame []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.To.Write(frame)
	return err
}

// writeOf writes the frame that is returned. No other frame is written while it is made.
func (f *FrameWriter) writeOf(frame func() []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.To.Write(frame())
	return err
}
