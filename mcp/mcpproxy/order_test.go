// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// rpc is what the tests of order read of a message.
type rpc struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Name      string `json:"name"`
		RequestID int    `json:"requestId"`
	} `json:"params"`
	text string
}

func readRPC(line string) rpc {
	m := rpc{text: line}
	_ = json.Unmarshal([]byte(line), &m) // the other tests read messages that are none
	return m
}

// waiting is a policy that lets the calls of a tool called held wait for release or the client, as one that asks a person
// does, and each other one for a while as if it computed something.
func waiting(release <-chan struct{}, pause func() time.Duration) middleware.Policy {
	return middleware.At(middleware.StageApprove, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name != "held" {
				time.Sleep(pause()) // stands for work
				return next(ctx, call)
			}
			arrival.Pass(ctx)
			select {
			case <-ctx.Done():
				return toolkit.Result{}, ctx.Err()
			case <-release:
			}
			return next(ctx, call)
		}
	})
}

func none() time.Duration { return 0 }

func callOf(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, id, tool, id)
}

func pingOf(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

// arrivals are the messages that reached a server.
type arrivals struct {
	mu   sync.Mutex
	list []rpc
}

func (a *arrivals) addLine(line string) rpc {
	m := readRPC(line)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, m)
	return m
}

func (a *arrivals) texts() (list []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.list {
		list = append(list, m.text)
	}
	return list
}

// answering is a server over pipes that answers each request in the order of arrival, but for calls of the tool
// silent.
func answering(got *arrivals) func(in io.Reader, out io.WriteCloser) error {
	return func(in io.Reader, out io.WriteCloser) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			m := got.addLine(lines.Text())
			if m.ID == 0 || m.Params.Name == "silent" {
				continue
			}
			if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`+"\n", m.ID); err != nil {
				return err
			}
		}
		return lines.Err()
	}
}

// Eight calls and a ping that are written at once reach the server in that order.
func TestRequestsKeepTheirOrder(t *testing.T) {
	for range 15 {
		var got arrivals
		p := connectTo(t, newWatched(t, Options{}, waiting(nil, none)), answering(&got))
		var sent []string
		for id := range 8 {
			sent = append(sent, callOf(id+1, "x"))
		}
		sent = append(sent, pingOf(9))
		p.send(strings.Join(sent, "\n") + "\n")
		for range 8 {
			p.send("")
		}
		p.end()
		if list := strings.Join(got.texts(), "\n"); list != strings.Join(sent, "\n") {
			t.Fatalf("got\n%s\nwant\n%s", list, strings.Join(sent, "\n"))
		}
	}
}

// A call that is cancelled while a policy lets it wait does not reach the server, and one that waits lets others pass.
func TestACallCancelledEarlyIsNotSent(t *testing.T) {
	for range 8 {
		var got arrivals
		release := make(chan struct{})
		p := connectTo(t, newWatched(t, Options{}, waiting(release, none)), answering(&got))
		sent := []string{callOf(1, "held"), gaveUp("1"), callOf(2, "held"), pingOf(3)}
		if answer := p.send(strings.Join(sent, "\n") + "\n"); readRPC(answer).ID != 3 {
			t.Fatalf("got %s, want the answer to the ping", answer)
		}
		close(release)
		if answer := p.send(""); readRPC(answer).ID != 2 {
			t.Fatalf("got %s, want the answer to the second call", answer)
		}
		p.end()
		want := pingOf(3) + "\n" + callOf(2, "held")
		if list := strings.Join(got.texts(), "\n"); list != want {
			t.Fatalf("got\n%s\nwant\n%s", list, want)
		}
	}
}

// A call and its cancellation that are written at once reach the server in that order, or not at all.
func TestACancellationDoesNotOvertakeItsCall(t *testing.T) {
	for range 20 {
		var got arrivals
		p := connectTo(t, newWatched(t, Options{}, waiting(nil, none)), answering(&got))
		p.send(callOf(1, "silent") + "\n" + gaveUp("1") + "\n" + pingOf(2) + "\n")
		p.end()
		want := strings.Join([]string{callOf(1, "silent"), gaveUp("1"), pingOf(2)}, "\n")
		if list := strings.Join(got.texts(), "\n"); list != want {
			t.Fatalf("got\n%s\nwant\n%s", list, want)
		}
	}
}

// A session is what a client sends at random, and what a server behind a proxy may get of it.
type randomSession struct {
	sent      []rpc
	cancelled map[int]int // the place of the cancellation by the call's id
	held      map[int]bool
}

// newRandomSession makes calls, pings, notifications and cancellations of calls.
func newRandomSession(r *rand.Rand) *randomSession {
	return newRandomSessionOf(r, 12+r.IntN(12), []string{"x", "y", "silent", "held"})
}

// newRandomSessionOf makes so many messages, with calls of some tools.
func newRandomSessionOf(r *rand.Rand, messages int, tools []string) *randomSession {
	s := &randomSession{cancelled: map[int]int{}, held: map[int]bool{}}
	var calls []int
	for id := 1; id <= messages; id++ {
		switch n := r.IntN(10); {
		case n < 5:
			tool := tools[r.IntN(len(tools))]
			s.addMessage(callOf(id, tool))
			s.held[id] = tool == "held"
			calls = append(calls, id)
		case n < 7:
			s.addMessage(pingOf(id))
		case n < 8:
			s.addMessage(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"n":%d}}`, id))
		case len(calls) > 0:
			call := calls[max(0, len(calls)-1-r.IntN(3))] // mostly one of the latest
			if _, again := s.cancelled[call]; !again {
				s.cancelled[call] = len(s.sent)
				s.addMessage(gaveUp(strconv.Itoa(call)))
			}
		}
	}
	return s
}

func (s *randomSession) addMessage(text string) { s.sent = append(s.sent, readRPC(text)) }

// check compares what a server got with what a server without a proxy gets, which is what was sent. Missing may only be
// calls that were cancelled, and the cancellations of those; calls that were held may be late.
func (s *randomSession) check(got []rpc) error {
	next := 0
	reached := map[int]bool{}
	for _, m := range got {
		switch {
		case m.Method == "notifications/cancelled" && !reached[m.Params.RequestID]:
			return fmt.Errorf("got the cancellation of %d without its call", m.Params.RequestID)
		case m.Method == "tools/call" && reached[m.ID]:
			return fmt.Errorf("got call %d twice", m.ID)
		}
		if m.Method == "tools/call" {
			reached[m.ID] = true
		}
		if s.held[m.ID] {
			continue
		}
		for next < len(s.sent) && s.sent[next].text != m.text {
			if !s.mayMiss(s.sent[next]) {
				return fmt.Errorf("got %s before %s", m.text, s.sent[next].text)
			}
			next++
		}
		if next == len(s.sent) {
			return fmt.Errorf("got %s out of order", m.text)
		}
		next++
	}
	for _, m := range s.sent {
		if _, cancelled := s.cancelled[m.ID]; m.Method == "tools/call" && !reached[m.ID] && !cancelled {
			return fmt.Errorf("got no %s", m.text)
		}
	}
	return s.checkCancelled(got)
}

// mayMiss reports whether a server may not get a message, or not there.
func (s *randomSession) mayMiss(m rpc) bool {
	_, cancelled := s.cancelled[m.ID]
	return m.Method == "tools/call" && (cancelled || s.held[m.ID]) || m.Method == "notifications/cancelled"
}

// checkCancelled fails for a call that came after its cancellation, and for a missing cancellation.
func (s *randomSession) checkCancelled(got []rpc) error {
	over := map[int]bool{}
	for _, m := range got {
		if m.Method == "notifications/cancelled" {
			over[m.Params.RequestID] = true
		}
		if m.Method == "tools/call" && over[m.ID] {
			return fmt.Errorf("got call %d after its cancellation", m.ID)
		}
	}
	for _, m := range got {
		if _, cancelled := s.cancelled[m.ID]; cancelled && m.Method == "tools/call" && !over[m.ID] {
			return fmt.Errorf("got no cancellation of call %d", m.ID)
		}
	}
	return nil
}

// sessions is how many random sessions a test plays: a few, or as many as `make proxy-sessions` says.
func sessions(t *testing.T, few int) int {
	n, err := strconv.Atoi(os.Getenv("TOOLSCOPE_SESSIONS"))
	if err != nil {
		return few
	}
	t.Logf("%d sessions", n)
	return n
}

// Random sessions over pipes: no call reaches the server after its cancellation, and what reaches it is in the order in
// which the client sent it. In every other session the client mostly waits for an answer before it goes on.
func TestRandomSessionsOverPipes(t *testing.T) {
	for seed := range sessions(t, 60) {
		r := rand.New(rand.NewPCG(uint64(seed), 26))
		s, inTurn := newRandomSession(r), seed%2 == 1
		if inTurn {
			s = newRandomSessionOf(r, 60, []string{"x", "x", "x", "x", "x", "x", "x", "y", "silent", "held"})
		}
		var got arrivals
		release := make(chan struct{})
		pauses := make(chan time.Duration, 1024)
		for range cap(pauses) {
			pauses <- time.Duration(r.IntN(200)) * time.Microsecond
		}
		p := connectTo(t, newWatched(t, Options{}, waiting(release, func() time.Duration { return <-pauses })), answering(&got))
		wanted := map[int]bool{} // answers
		for i, m := range s.sent {
			_, cancelled := s.cancelled[m.ID]
			if m.ID > 0 && !cancelled && m.Params.Name != "silent" {
				wanted[m.ID] = true
			}
			p.write(m.text + "\n")
			if i == len(s.sent)/2 {
				close(release)
			}
			switch {
			case inTurn && r.IntN(10) > 0:
				for wanted[m.ID] && m.Params.Name != "held" {
					delete(wanted, readRPC(p.send("")).ID)
				}
			case r.IntN(3) == 0:
				time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond) // interleaves in another way
			}
		}
		p.write(pingOf(1000) + "\n")
		wanted[1000] = true
		for len(wanted) > 0 {
			delete(wanted, readRPC(p.send("")).ID)
		}
		p.end()
		s.addMessage(pingOf(1000))
		if err := s.check(got.list); err != nil {
			t.Fatalf("seed %d: %v; got\n%s", seed, err, strings.Join(got.texts(), "\n"))
		}
	}
}
