// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package top

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The model asks at once, not again before an answer, and again when it is time.
func TestProgramAsks(t *testing.T) {
	p := &program{
		Model: New(
			t.Context(),
			&fixed{state: ordinary()},
			Options{Every: 2 * time.Second, Plain: true, Zone: time.UTC},
		),
	}
	if p.Init() == nil || p.asked != 1 || !p.asking {
		t.Fatalf("at first: asked %d times", p.asked)
	}
	p.Update(tickMsg(p.askedAt.Add(time.Minute)))
	if p.asked != 1 {
		t.Error("asked again before the answer")
	}
	p.Update(stateMsg{1, ordinary(), nil})
	if p.asking || p.state == nil {
		t.Error("the answer was not taken")
	}
	p.Update(tickMsg(p.askedAt.Add(time.Second)))
	if p.asked != 1 {
		t.Error("asked again too early")
	}
	p.Update(tickMsg(p.askedAt.Add(2 * time.Second)))
	if p.asked != 2 {
		t.Error("not asked again when it was time")
	}
	p.Update(stateMsg{2, nil, errors.New("gone")})
	p.Update(tea.KeyPressMsg{Code: 'p', Text: "p"})
	p.Update(tickMsg(p.askedAt.Add(time.Hour)))
	if p.asked != 2 || !p.paused {
		t.Error("asked while paused")
	}
	p.Update(tea.KeyPressMsg{Code: 'p', Text: "p"})
	if p.asked != 3 {
		t.Error("not asked at once when it went on")
	}
}

// The content of the calls on the screen is asked for one by one, and once.
func TestProgramFetchesContent(t *testing.T) {
	source := &fixed{state: ordinary(), content: Content{Arguments: "{}"}}
	p := &program{Model: New(t.Context(), source, Options{Plain: true})}
	p.Init()
	p.Update(stateMsg{1, ordinary(), nil})
	fetched := 0
	_, cmd := p.Update(tea.KeyPressMsg{Code: '2', Text: "2"})
	for cmd != nil && fetched < 10 {
		fetched++
		if fetched == 2 {
			source.err = errors.New("no such call")
		}
		_, cmd = p.Update(cmd())
	}
	if fetched != 4 || len(p.contents) != 4 || p.contents["k2"].Why == "" {
		t.Errorf("fetched %d, got %v, want 4, one of them with a reason", fetched, p.contents)
	}
}

// output is what a terminal gets.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func TestRunShowsAndLeaves(t *testing.T) {
	in, keys := io.Pipe()
	out := &output{}
	done := make(chan error, 1)
	go func() {
		done <- run(
			t.Context(), &fixed{state: ordinary()}, Options{Plain: true}, tea.WithInput(in),
			tea.WithOutput(out), tea.WithWindowSize(80, 24),
		)
	}()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(out.String(), "read_file"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute got %q", out.String())
		}
	}
	if _, err := keys.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, &fixed{state: ordinary()}, Options{}, strings.NewReader(""), io.Discard); err != nil {
		t.Error(err)
	}
}

func TestOnce(t *testing.T) {
	text, err := Once(
		t.Context(),
		&fixed{state: ordinary(), content: Content{Arguments: `{"q":"x"}`}},
		Options{Zone: time.UTC},
		100,
	)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "once", text)
	if _, err := Once(t.Context(), &fixed{err: errors.New("gone")}, Options{}, 80); err == nil {
		t.Error("got no error of a source that does not answer")
	}
}
