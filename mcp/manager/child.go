// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/process"
)

// A child is a server that runs as a child process: its transport and its connection.
// The protocol's messages are lines of its standard input and output.
type child struct {
	limit  int // bytes of a message
	grace  time.Duration
	tree   *process.Tree
	in     *os.File // what it reads
	out    *os.File // what it wrote
	lines  *bufio.Reader
	errors *stderrTail
	queue  []jsonrpc.Message // of a batch

	writes  chan *write
	stop    sync.Once
	stopped chan struct{} // closed when it shall end
	dead    chan struct{} // closed when it, its group and the goroutines have ended
	eof     chan struct{} // closed when nothing comes any more
	eofOnce sync.Once
	badRead atomic.Pointer[error]
	broken  atomic.Bool // one of its pipes has ended: it is about to end by itself
	ours    atomic.Bool // its end is our doing
}

var (
	_ mcp.Transport  = (*child)(nil)
	_ mcp.Connection = (*child)(nil)
	_ link           = (*child)(nil)
)

// drainTime is how long output may still come once the process has ended: another of its
// group may hold it open.
const drainTime = 200 * time.Millisecond

// startChild starts the server's command.
func (s *server) startChild() (_ *child, err error) {
	path, err := exec.LookPath(s.conf.Command)
	if err != nil {
		return nil, fmt.Errorf("Server.Command: %w", err)
	}
	walls, err := s.conf.Sandbox.walls(path, s.conf.Env)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	pipe := func() (from, to *os.File) {
		if err == nil {
			if from, to, err = os.Pipe(); err == nil {
				files = append(files, from, to)
			}
		}
		return from, to
	}
	inFrom, inTo := pipe()
	outFrom, outTo := pipe()
	errFrom, errTo := pipe()
	defer func() {
		if err != nil {
			for _, f := range files {
				f.Close()
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, s.conf.Args...)
	cmd.Dir, cmd.Env = s.conf.Dir, s.conf.environ()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inFrom, outTo, errTo
	tree, err := process.StartTree(cmd, walls)
	if err != nil {
		return nil, fmt.Errorf("Server.Command: %w", err)
	}
	for _, f := range []*os.File{inFrom, outTo, errTo} {
		f.Close() // the process holds them now
	}
	c := &child{
		limit: s.m.options.MaxMessage, grace: s.m.options.StopGrace, tree: tree, in: inTo, out: outFrom,
		lines: bufio.NewReaderSize(outFrom, 64<<10), errors: s.newTail(errFrom),
		writes: make(chan *write), stopped: make(chan struct{}), dead: make(chan struct{}), eof: make(chan struct{}),
	}
	go c.attend()
	go c.writeAll()
	return c, nil
}

// Connect is the child itself.
func (c *child) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is "": standard input and output are one session.
func (c *child) SessionID() string { return "" }

func (c *child) pid() int              { return c.tree.PID() }
func (c *child) gone() <-chan struct{} { return c.eof }

// attend waits for the process's end, and ends what it abandoned.
func (c *child) attend() {
	defer close(c.dead)
	select {
	case <-c.tree.Done():
	case <-c.stopped:
		c.in.Close()
		if !c.ends(c.grace) {
			c.tree.Terminate()
			if !c.ends(c.grace) {
				c.tree.Kill()
				<-c.tree.Done()
			}
		}
	}
	select {
	case <-c.eof: // all that it wrote was read
	case <-c.stopped:
	case <-time.After(drainTime):
	}
	c.tree.Kill() // what it abandoned
	select {
	case <-c.eof:
	case <-c.stopped:
	case <-time.After(closeTime):
	}
	c.in.Close()
	c.out.Close()
	c.errors.close()
}

// ends reports whether the process ends by itself within limit.
func (c *child) ends(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.tree.Done():
		return true
	case <-timer.C:
		return false
	}
}

// Close has the process end, without waiting: the SDK calls it under its lock.
func (c *child) Close() error {
	c.stop.Do(func() { close(c.stopped) })
	return nil
}

func (c *child) close() {
	c.claim()
	_ = c.Close() // it returns none
	<-c.dead
}

// claim notes that the process is being ended, unless it has ended by itself or is about to.
func (c *child) claim() {
	if c.broken.Load() {
		c.ends(closeTime)
	}
	if c.tree.State() == "" {
		c.ours.Store(true)
	}
}

func (c *child) abort() {
	c.claim()
	c.tree.Kill()
	c.close()
}

// why tells how the process ended, with the last it printed on its standard error, once it
// was closed.
func (c *child) why() error {
	state := c.tree.State()
	if c.ours.Load() {
		state = ""
	}
	if bad := c.badRead.Load(); bad != nil && state == "" {
		return *bad
	}
	tail := c.errors.text()
	switch {
	case state != "" && tail != "":
		return fmt.Errorf("its process ended (%s); the last on its standard error: %s", state, tail)
	case state != "":
		return fmt.Errorf("its process ended (%s)", state)
	case tail != "":
		return fmt.Errorf("the last on its standard error: %s", tail)
	}
	return nil
}

// Read gives the next message. Lines that are none are passed over: many programs print
// something else, too. Of a line that is too large an error is made that answers the
// request it was for.
func (c *child) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		line, err := c.line()
		if err != nil {
			c.eofOnce.Do(func() {
				if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
					c.badRead.Store(&err)
				}
				c.broken.Store(true)
				close(c.eof)
			})
			return nil, io.EOF
		}
		c.queue = messages(line)
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// line reads a line, or what stands for one that is too large; nil for one to pass over.
func (c *child) line() ([]byte, error) {
	var line []byte
	var large *envelope
	for {
		part, err := c.lines.ReadSlice('\n')
		switch {
		case large != nil:
			large.feed(part)
		case len(line)+len(part) > c.limit:
			large = new(envelope)
			large.feed(line)
			large.feed(part)
			line = nil
		default:
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err // a line without an end is no message
		case large != nil:
			return large.instead(c.limit), nil
		}
		return line, nil
	}
}
