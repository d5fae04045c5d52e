// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/redact"
)

// person types on a terminal made of two pipes: what is asked is read up to the prompt, and
// answered.
type person struct {
	types string
	again string // from the second prompt on; "" is as types
	shown strings.Builder
	mu    sync.Mutex
}

// terminal is the policy's end of the pipes.
type pipes struct {
	in, out *os.File
	done    *sync.WaitGroup
}

func (p pipes) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p pipes) Close() error {
	_ = p.in.Close()
	err := p.out.Close()
	p.done.Wait()
	return err
}
func (p pipes) SetReadDeadline(t time.Time) error { return p.in.SetReadDeadline(t) }

// requestOf is an open request for a call with these arguments.
func requestOf(arguments string) Request {
	return Request{content: &content{arguments: []byte(arguments), redactor: redact.Default()}}
}

// open gives a terminal at which early was typed before the question.
func (p *person) open(t *testing.T, early string) func() (terminalFile, error) {
	return func() (terminalFile, error) {
		in, keys, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		screen, out, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if _, err := keys.WriteString(early); err != nil {
			return nil, err
		}
		done := new(sync.WaitGroup)
		done.Go(func() {
			defer keys.Close()
			buf := make([]byte, 4096)
			prompts := 0
			for {
				n, err := screen.Read(buf)
				p.mu.Lock()
				p.shown.Write(buf[:n])
				asked := strings.HasSuffix(p.shown.String(), "with the reason: ")
				p.mu.Unlock()
				if asked && n > 0 {
					if p.types == "hang up" {
						_ = keys.Close()
						continue
					}
					types := p.types
					if prompts++; prompts > 1 && p.again != "" {
						types = p.again
					}
					if _, err := keys.WriteString(types); err != nil {
						t.Error(err)
					}
				}
				if err != nil {
					_ = screen.Close()
					return
				}
			}
		})
		return pipes{in, out, done}, nil
	}
}

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		name, early, types, again string
		approved                  bool
		note                      string
		err                       string
	}{
		{name: "yes", types: "yes\n", approved: true},
		{name: "a letter is no word", types: "y\n", again: "no\n"},
		{name: "yes in words", types: " YES \r\n", approved: true},
		{name: "no", types: "n\n"},
		{name: "nothing", types: "\n"},
		{name: "a reason", types: "yes but not today\n", note: "yes but not today"},
		{name: "typed before the question", early: "yes\nyes\n", types: "n\n"},
		{name: "a long line", types: strings.Repeat("y", 5000) + "\n", err: "more than 1024 bytes"},
		{name: "it closes", types: "hang up", err: "the terminal closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &person{types: c.types, again: c.again}
			r := requestOf("{\"a\":\"\\u001b[2J\u202e\"}")
			r.Tool, r.Reason, r.ID, r.Expires = "pay", "it is monday", "r1", time.Unix(0, 0)
			a, err := newTerminal(p.open(t, c.early)).Ask(t.Context(), r)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || a.Approved {
					t.Fatalf("got %+v, %v, want the error %q", a, err, c.err)
				}
				return
			}
			if err != nil || a.Approved != c.approved || a.Note != c.note || a.By != "terminal" {
				t.Errorf("got %+v, %v", a, err)
			}
			shown := p.shown.String()
			if !strings.Contains(shown, "it is monday") || strings.ContainsAny(strings.ReplaceAll(shown, "\a", ""), "\x1b\u202e") {
				t.Errorf("got the question %q", shown)
			}
		})
	}
}

func TestTerminalStopsAskingWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &person{types: ""}
	asker := newTerminal(p.open(t, ""))
	time.AfterFunc(20*time.Millisecond, cancel)
	if a, err := asker.Ask(ctx, Request{}); !errors.Is(err, context.Canceled) || a.Approved {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := asker.Ask(ctx, Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the second: got %v", err)
	}
}

// late is a terminal whose first read comes after its deadline, as on a machine that stalls:
// such a read takes nothing of what is there.
type late struct {
	terminalFile
	read bool
}

func (l *late) Read(b []byte) (int, error) {
	if !l.read {
		l.read = true
		return 0, os.ErrDeadlineExceeded
	}
	return l.terminalFile.Read(b)
}

func TestWhatWasTypedBeforeDoesNotAnswerOnAMachineThatStalls(t *testing.T) {
	p := &person{types: "n\n"}
	open := p.open(t, "yes\nyes\n")
	asker := newTerminal(func() (terminalFile, error) {
		f, err := open()
		return &late{terminalFile: f}, err
	})
	if a, err := asker.Ask(t.Context(), Request{Tool: "pay"}); err != nil || a.Approved {
		t.Errorf("got %+v, %v, want the answer that came after the question", a, err)
	}
}

func TestTerminalAsksOneAtATime(t *testing.T) {
	p := &person{types: "yes\n"}
	var mu sync.Mutex
	open, most := 0, 0
	opener := p.open(t, "")
	asker := newTerminal(func() (terminalFile, error) {
		mu.Lock()
		open++
		most = max(most, open)
		mu.Unlock()
		f, err := opener()
		return counted{f, func() { mu.Lock(); open--; mu.Unlock() }}, err
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if a, err := asker.Ask(t.Context(), requestOf("{}")); err != nil || !a.Approved {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d questions stood at once", most)
	}
}

type counted struct {
	terminalFile
	closed func()
}

func (c counted) Close() error { c.closed(); return c.terminalFile.Close() }

func TestLinesAreFolded(t *testing.T) {
	r := requestOf(`{"command":"` + strings.Repeat("x", 100) + `\nsecond"}`)
	got := strings.Join(terminalLines(r.View(), false), "")
	want := "  | command: \n  |     │ " + strings.Repeat("x", 69) + "\n  ↪ " + strings.Repeat("x", 31) + "\n  |     │ second\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
