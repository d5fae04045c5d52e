// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// idleTime is how long the server's output is still waited for once the server has ended:
// what it left behind may hold the pipes open for ever.
const idleTime = 500 * time.Millisecond

func runPipes(w *watcher, c serverCommand) (exitStatus, error) {
	if w.framed() {
		return runFramed(w, c)
	}
	// Bytes are passed on without a look from here on: policies that Apply adds would have no effect.
	if _, err := w.scope.Callbacks(toolkit.NoTools); err != nil {
		return exitStatus{}, err
	}
	s := newSession(w.engine, "")
	return runWith(w, c, s, func(p *pipes) {
		p.start(&copier{to: p.in, from: c.Stdin, tap: w.tap, stream: s.stream(fromClient, byLine)}, false)
		p.start(&copier{to: c.Stdout, from: p.out, tap: w.tap, stream: s.stream(fromServer, byLine)}, true)
	})
}

// runWith starts the server, and has connect pass on its standard input and output.
func runWith(w *watcher, c serverCommand, s *session, connect func(p *pipes)) (exitStatus, error) {
	p, err := startServer(c)
	if err != nil {
		return exitStatus{}, err
	}
	stderr := s.stderrStream()
	w.join(s)
	connect(p)
	p.start(&copier{to: c.Stderr, from: p.errs, tap: w.tap, stream: stderr}, true)
	stop := p.passSignals(c.Signals)
	exit := p.wait()
	stop()
	w.tap.callNow(func() { w.end(s, time.Now(), nil) })
	return exit, nil
}

// pipes are a server's process, and our ends of its pipes.
type pipes struct {
	cmd           *exec.Cmd
	in, out, errs *os.File
	exited        atomic.Bool
	done          chan struct{} // closed when the process has ended
	outputs       sync.WaitGroup
	reading       []*os.File // the outputs'
}

func startServer(c serverCommand) (_ *pipes, err error) {
	p := &pipes{cmd: &exec.Cmd{Path: c.Path, Args: c.Args, Env: c.Env}, done: make(chan struct{})}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range []*os.File{p.in, p.out, p.errs} {
				if f != nil {
					f.Close()
				}
			}
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = newPipe()
		}
		return r, w
	}
	stdin, in := pipe()
	out, stdout := pipe()
	errs, stderr := pipe()
	for _, f := range []*os.File{stdin, stdout, stderr} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	p.in, p.out, p.errs = in, out, errs
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: %w", err)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	if err := startProcess(p.cmd); err != nil {
		return nil, err
	}
	return p, nil
}

// start passes on one direction. Those of the server's output are waited for.
func (p *pipes) start(c *copier, output bool) {
	c.exited = &p.exited
	if !output {
		go c.run()
		return
	}
	p.output(c.from, c.run)
}

// output has read read one of the server's outputs, and waits for it in the end.
func (p *pipes) output(from *os.File, read func()) {
	p.reading = append(p.reading, from)
	p.outputs.Add(1)
	go func() {
		defer p.outputs.Done()
		read()
	}()
}

// wait waits for the process's end, and then for what it wrote.
func (p *pipes) wait() exitStatus {
	_ = p.cmd.Wait() // the state says it
	p.exited.Store(true)
	close(p.done)
	_ = p.in.Close()
	for _, f := range p.reading {
		wake(f)
	}
	p.outputs.Wait()
	return exitOf(p.cmd.ProcessState)
}

// passSignals passes signals on until the function returned is called.
func (p *pipes) passSignals(signals <-chan os.Signal) (stop func()) {
	if signals == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case s := <-signals:
				_ = p.cmd.Process.Signal(s) // it may have ended
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// copier passes on what comes from one end to the other. The tap has it before the other side
// does, and so before that can answer: an answer that is looked at before its request would
// belong to none, and the call run for ever.
type copier struct {
	to, from *os.File
	tap      *tap
	stream   *stream
	exited   *atomic.Bool
}

// errIdle says that nothing more is waited for.
var errIdle = errors.New("mcpproxy: nothing came for a while")

// run passes on until one end is closed, and closes the other: a writer whose reader
// is gone learns of it as it would without us.
func (c *copier) run() {
	in, err := newInput(c.from, c.exited)
	buffer, wide := newBuffer(narrowRead), false
	for err == nil {
		n := 0
		if n, err = in.read(buffer.room()); n == 0 {
			continue
		}
		at := time.Now()
		if n >= narrowRead && !wide {
			wide = true
			widen(c.from, c.to)
		}
		buffer.data = buffer.data[:n]
		much := c.tap.lend(c.stream, at, buffer)
		_, failed := c.to.Write(buffer.data)
		if much { // not before, which would take a processor from the other side
			c.tap.hurry()
		}
		buffer = buffer.instead(nextRead(n))
		c.tap.signal()
		if failed != nil {
			break
		}
	}
	c.tap.endStream(c.stream, time.Now())
	c.tap.signal()
	_ = c.to.Close()
	_ = c.from.Close()
}
