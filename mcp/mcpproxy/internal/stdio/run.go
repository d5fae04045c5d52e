// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/toolkit"
)

// Run starts the server and forwards what client and server send, until the server has ended and all that it wrote has
// been forwarded.
func Run(w *watch.Watcher, c Command) (Exit, error) {
	if w.Framed() {
		return runFramed(w, c)
	}
	// Bytes are passed on without a look from here on: policies that Apply adds would have no effect.
	if _, err := w.Scope.Callbacks(toolkit.NoTools); err != nil {
		return Exit{}, err
	}
	s := watch.NewSession(w.Engine, "")
	return runWith(w, c, s, func(p *Pipes) {
		p.start(&copier{
			to: p.In, from: c.Stdin, tap: w.Tap, stream: s.Stream(watch.FromClient, frames.ByLine), before: w.Forwarding,
		}, false)
		p.start(&copier{
			to: c.Stdout, from: p.Out, tap: w.Tap, stream: s.Stream(watch.FromServer, frames.ByLine), after: w.Forwarded,
		}, true)
	})
}

// runFramed is Run with policies.
func runFramed(w *watch.Watcher, c Command) (Exit, error) {
	g := NewGovernor(w, c.Stdout)
	defer g.cancel(watch.ErrUnanswered)
	return runWith(w, c, g.Session, func(p *Pipes) {
		g.Server = &FrameWriter{To: p.In}
		go g.ReadClient(c.Stdin, p)
		p.output(p.Out, func() { g.ReadServer(c.Stdout, p) })
	})
}

// runWith starts the server, and has connect pass on its standard input and output.
func runWith(w *watch.Watcher, c Command, s *watch.Session, connect func(p *Pipes)) (Exit, error) {
	p, err := startServer(c)
	if err != nil {
		return Exit{}, err
	}
	stderr := s.StderrStream()
	w.Join(s)
	connect(p)
	p.start(&copier{to: c.Stderr, from: p.errs, tap: w.Tap, stream: stderr}, true)
	stop := p.passSignals(c.Signals)
	exit := p.wait()
	stop()
	w.Tap.CallNow(func() { w.End(s, time.Now(), nil) })
	return exit, nil
}

// Pipes are a server's process, and our ends of its pipes.
type Pipes struct {
	cmd           *exec.Cmd
	In, Out, errs *os.File
	exited        atomic.Bool
	done          chan struct{} // closed when the process has ended
	outputs       sync.WaitGroup
	reading       []*os.File // the outputs'
}

func startServer(c Command) (_ *Pipes, err error) {
	p := &Pipes{cmd: &exec.Cmd{Path: c.Path, Args: c.Args, Env: c.Env}, done: make(chan struct{})}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range []*os.File{p.In, p.Out, p.errs} {
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
	p.In, p.Out, p.errs = in, out, errs
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
func (p *Pipes) start(c *copier, output bool) {
	c.exited = &p.exited
	if !output {
		go c.copyAll()
		return
	}
	p.output(c.from, c.copyAll)
}

// output has read read one of the server's outputs, and waits for it in the end.
func (p *Pipes) output(from *os.File, read func()) {
	p.reading = append(p.reading, from)
	p.outputs.Add(1)
	go func() {
		defer p.outputs.Done()
		read()
	}()
}

// wait waits for the process's end, and then for what it wrote.
func (p *Pipes) wait() Exit {
	_ = p.cmd.Wait() // the state says it
	p.exited.Store(true)
	close(p.done)
	_ = p.In.Close()
	for _, f := range p.reading {
		wake(f)
	}
	p.outputs.Wait()
	return exitOf(p.cmd.ProcessState)
}

// passSignals passes signals on until the function returned is called.
func (p *Pipes) passSignals(signals <-chan os.Signal) (stop func()) {
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
// does, and so before that can answer: an answer that is read before its request would
// belong to none, and the call run for ever.
type copier struct {
	to, from *os.File
	tap      *frames.Tap
	stream   *frames.Stream
	exited   *atomic.Bool
	before   func()      // is called before what the tap has is passed on; nil works
	after    func() bool // is called after that, and reports whether nothing waits in the tap; nil works
}

// copyAll passes on until one end is closed, and closes the other: a writer whose reader
// is gone learns of it as it would without us.
func (c *copier) copyAll() {
	in, err := newInput(c.from, c.exited)
	buffer, wide := frames.NewBuffer(frames.NarrowRead), false
	for err == nil {
		n := 0
		if n, err = in.read(buffer.Room()); n == 0 {
			continue
		}
		at := time.Now()
		if n >= frames.NarrowRead && !wide {
			wide = true
			widen(c.from, c.to)
		}
		buffer.Data = buffer.Data[:n]
		much := c.tap.Lend(c.stream, at, buffer)
		if c.before != nil {
			c.before()
		}
		_, failed := c.to.Write(buffer.Data)
		if much { // not before, which would take a processor from the other side
			c.tap.Hurry()
		}
		buffer = buffer.Instead(frames.NextRead(n))
		if c.after == nil || !c.after() {
			c.tap.Signal()
		}
		if failed != nil {
			break
		}
	}
	c.tap.EndStream(c.stream, time.Now())
	c.tap.Signal()
	_ = c.to.Close()
	_ = c.from.Close()
}
