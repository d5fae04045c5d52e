// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of a line, in bytes, and of the lines that wait to be written.
const (
	maxContent = 4 << 10 // of arguments, and of a result, by default
	maxText    = 1 << 10 // of an error
	maxName    = 256
	maxQueue   = 32 << 10 // lines
	maxWaiting = 16 << 20 // bytes
	maxHeld    = 2 << 20  // bytes of the lines before the first call's
)

// syncTime is how long a call waits at most until its line is written. It is long for a busy machine: only the first call
// that a hanging disk delays waits for so long.
const syncTime = 2 * time.Second

// spins is how often a call gives way to the goroutine that writes, before it sleeps.
const spins = 8

// Options configure a [Log]. The zero value works.
type Options struct {
	// Redactor is what everything passes; nil is [redact.Default].
	Redactor *redact.Redactor
	// Server is the name of the server on each line, "" for none.
	Server string
	// MaxSize is the size in bytes at which a file gets the name that rotation gives it; 0 is 64 MiB, below 0 is none.
	MaxSize int64
	// MaxContent is how many bytes of arguments, and of a result, are written; 0 is 4 KiB.
	MaxContent int
	// Key makes fingerprints of arguments; nil makes none.
	Key *Key
	// Late opens the file with the first line: a session without any leaves none.
	Late bool
	// OnFailure is called, by one goroutine, with the error of the first line that could not be written, and OnRotate
	// after a file has got the name that rotation gives it. nil are not called.
	OnFailure func(error)
	OnRotate  func()
}

// A Log is an observer that writes each call down when it begins and when it ends. Make one with [Open]. It is
// safe for concurrent use.
type Log struct {
	file     io.WriteCloser
	redactor *redact.Redactor
	types    *errtype.Guard
	server   string
	content  int // bytes
	key      *Key
	onFail   func(error)
	late     bool
	tools    toolTable
	name     string // begins the ids of calls
	calls    atomic.Uint64
	lines    chan entry
	waiting  atomic.Int64 // bytes
	written  atomic.Uint64
	dropped  atomic.Uint64
	failing  atomic.Pointer[error] // of the last write; nil if it worked
	session  atomic.Pointer[sessionID]
	hangs    atomic.Bool // a call has waited for syncTime, and nothing was written since

	mu     sync.RWMutex // held by who sends on lines
	closed bool
	done   chan struct{}
	err    error // of the last write, once done is closed
}

// toolTable is what a log has written of tools.
type toolTable struct {
	mu      sync.Mutex
	digests map[string]string
	bytes   int // of definitions
}

// entry is a line to be written, or a channel to be closed once those before it are.
type entry struct {
	text  []byte
	ended bool // it ends a call, or is of one that has no beginning
	early bool // it is of no call: a file that is opened late is not opened for it
	reach chan<- struct{}
}

var _ toolkit.Observer = (*Log)(nil)

// Open appends to a file, which is made if it is not there, and which only its owner may read from then on.
func Open(path string, o Options) (*Log, error) {
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	file, err := openRotated(path, o.MaxSize, o.Late, o.OnRotate)
	if err != nil {
		return nil, fmt.Errorf("calllog: %w", err)
	}
	return begin(file, o), nil
}

func begin(file io.WriteCloser, o Options) *Log {
	l := &Log{
		file: file, redactor: o.Redactor, types: errtype.New(o.Redactor), server: o.Server, name: rand.Text()[:8],
		content: cmp.Or(o.MaxContent, maxContent), key: o.Key, onFail: o.OnFailure, late: o.Late,
		lines: make(chan entry, maxQueue), done: make(chan struct{}),
	}
	go l.write()
	return l
}

func (l *Log) write() {
	defer close(l.done)
	var recorded, lost uint64 // of what was dropped, and what is lost while the disk refuses lines
	put := func(lines []byte) error {
		_, err := l.file.Write(lines)
		return err
	}
	note := func() {
		if dropped := l.dropped.Load(); dropped-lost > recorded && put(l.droppedLine(dropped-lost-recorded)) == nil {
			recorded = dropped - lost
		}
	}
	var held []byte // the lines before the first call's
	for e := range l.lines {
		if e.reach != nil {
			close(e.reach)
			continue
		}
		if l.late && e.early && len(held) < maxHeld {
			held = append(held, e.text...)
			l.waiting.Add(-int64(len(e.text)))
			continue
		}
		l.late = false
		note()
		line := e.text
		if held != nil {
			line, held = append(held, line...), nil
		}
		err := put(line)
		l.hangs.Store(false)
		l.waiting.Add(-int64(len(e.text)))
		switch {
		case err != nil:
			lost++
			l.dropped.Add(1)
			if l.err == nil && l.onFail != nil {
				l.onFail(err)
			}
			l.err = err
			l.failing.Store(&err)
			continue
		case e.ended:
			l.written.Add(1)
		}
		l.failing.Store(nil)
	}
	note()
	l.err = errors.Join(l.err, l.file.Close())
}

// Sync returns once the lines of calls that have begun are written, or after two seconds. Then it returns at once until
// the disk takes a line again.
func (l *Log) Sync() {
	if l.waiting.Load() == 0 || l.hangs.Load() {
		return
	}
	reached := make(chan struct{})
	if !l.enqueue(entry{reach: reached}) {
		return
	}
	for range spins {
		runtime.Gosched() // to the goroutine that writes, mostly: this one need not be woken then
		select {
		case <-reached:
			return
		default:
		}
	}
	late := time.NewTimer(syncTime)
	defer late.Stop()
	select {
	case <-reached:
	case <-late.C:
		l.hangs.Store(true)
	}
}

// enqueue puts an entry into the queue; false if it has no room.
func (l *Log) enqueue(e entry) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	size := int64(len(e.text))
	if l.closed || l.waiting.Add(size) > maxWaiting {
		l.waiting.Add(-size)
		return false
	}
	select {
	case l.lines <- e:
		return true
	default:
		l.waiting.Add(-size)
		return false
	}
}

// Dropped is how many lines were not written, for want of room or because the disk
// refused them.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// Written is how many calls were written.
func (l *Log) Written() uint64 { return l.written.Load() }

// Failing is why the last call was not written; nil if it was.
func (l *Log) Failing() error {
	if err := l.failing.Load(); err != nil {
		return *err
	}
	return nil
}

// Close writes what waits and closes the file. Calls that end later are dropped and
// counted.
func (l *Log) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.lines)
	}
	l.mu.Unlock()
	<-l.done
	return l.err
}

// begunKey is a context's key of the innermost call that a log has seen begin there.
type begunKey struct{ log *Log }

// begun is a call that has begun.
type begun struct {
	id    string
	asked []byte // the arguments
	line  Record
}

// Begin puts the line of a call that begins into the queue.
func (l *Log) Begin(ctx context.Context, call toolkit.Call, f *toolkit.CallInfo) context.Context {
	b := &begun{id: l.newID(), asked: call.Arguments}
	b.line = l.lineOf(RecordBegin, b.id, f.Start, &call, f)
	if outer, _ := ctx.Value(begunKey{l}).(*begun); outer != nil {
		b.line.Parent = outer.id
	}
	if b.line.ID == "" {
		b.line.ID = cleaned(l.redactor, requestID(ctx), maxName)
	}
	l.addLine(&b.line, false)
	return context.WithValue(ctx, begunKey{l}, b)
}

// newID is the id of a call in the log.
func (l *Log) newID() string { return l.name + "-" + strconv.FormatUint(l.calls.Add(1), 10) }

// Wants is true: arguments and results are written down.
func (l *Log) Wants(context.Context) bool { return true }

// End puts the call's line into the queue.
func (l *Log) End(ctx context.Context, e *toolkit.Ended) {
	b, _ := ctx.Value(begunKey{l}).(*begun)
	out := l.endLine(ctx, e, b)
	l.addLine(&out, true)
}

// A Request is one that is no call of a tool.
type Request struct {
	Method, Target, ID, Session string
	Began, Ended                time.Time
	ErrorType                   string // "" for a success
}

// AddRequest puts the line of a request that has ended into the queue.
func (l *Log) AddRequest(r Request) {
	l.addEarly(&Record{
		Version: Version, Record: RecordRequest, Server: l.server, Time: r.Ended.UTC(), Duration: microseconds(r.Ended.Sub(r.Began)),
		Method: cleaned(l.redactor, r.Method, maxName), Target: cleaned(l.redactor, r.Target, maxText),
		ID: cleaned(l.redactor, r.ID, maxName), Session: cleaned(l.redactor, r.Session, maxName),
		ErrorType: l.types.Export(r.ErrorType),
	})
}

// addLine puts the line of a call into the queue, or counts that it is dropped.
func (l *Log) addLine(out *Record, ended bool) { l.addEntry(out, entry{ended: ended}) }

// addEarly puts a line that is of no call into the queue.
func (l *Log) addEarly(out *Record) { l.addEntry(out, entry{early: true}) }

func (l *Log) addEntry(out *Record, e entry) {
	text, err := out.line()
	if e.text = append(text, '\n'); err != nil || !l.enqueue(e) {
		l.dropped.Add(1)
	}
}

// droppedLine records that lines were dropped.
func (l *Log) droppedLine(n uint64) []byte {
	text, _ := (&Record{Version: Version, Record: RecordDropped, Server: l.server, Time: time.Now().UTC(), Dropped: n}).Marshal()
	return append(text, '\n')
}

// sessionID is that of a session, and what is written of it.
type sessionID struct {
	id, cleaned string
	by          *redact.Redactor
}
