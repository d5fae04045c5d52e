// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
)

// streams is a server over HTTP whose answers are streams, but for the tool y. It answers calls of the tool silent when a
// session is over only, and tells then that it does.
type streams struct {
	t        *testing.T
	sessions sync.Map // streamSession by id
}

type streamSession struct {
	arrivals
	over chan struct{}
}

const lastEvent = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"

func (s *streams) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the proxy did not send all of it
	}
	found, _ := s.sessions.Load(r.Header.Get(mirror.SessionHeader))
	session := found.(*streamSession)
	m := session.addLine(string(body))
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, m.ID)
	switch {
	case m.ID == 0:
		out.WriteHeader(http.StatusAccepted)
	case m.Params.Name == "silent":
		out.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(overhttp.Flushing{ResponseWriter: out}, "id: 1\ndata: \n\n")
		select {
		case <-r.Context().Done():
			s.t.Errorf("the stream of call %d ended before the server ended it", m.ID)
		case <-session.over:
			_, _ = io.WriteString(out, "data: "+answer+"\n\n"+lastEvent)
		}
	case m.Params.Name == "y":
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, answer)
	default:
		out.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(out, "id: 1\ndata: \n\ndata: "+answer+"\n\n"+lastEvent)
	}
}

// postMessage sends a message, and returns the body of the answer.
func postMessage(client *http.Client, address, session, body string) (string, error) {
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(mirror.SessionHeader, session)
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode >= 300 {
		err = fmt.Errorf("got status %d", resp.StatusCode)
	}
	return string(text), err
}

// Random sessions over HTTP: no call reaches the server after its cancellation, though the two come over two connections
// at about the same time. Each other call is answered, and no stream ends before the server ends it.
func TestRandomSessionsOverHTTP(t *testing.T) {
	release := make(chan struct{}, 1<<16)
	server := &streams{t: t}
	w := newWatched(t, Options{}, waiting(release, func() time.Duration { return time.Duration(rand.IntN(200)) * time.Microsecond }))
	address := before(t, w, server)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	for seed := range sessions(t, 40) {
		r := rand.New(rand.NewPCG(uint64(seed), 27))
		s := newRandomSession(r)
		id := "session-" + strconv.Itoa(seed)
		session := &streamSession{over: make(chan struct{})}
		server.sessions.Store(id, session)
		var all, needed sync.WaitGroup // needed are those that end before the session
		for i, m := range s.sent {
			pause := time.Duration(r.IntN(1000)) * time.Microsecond
			_, cancelled := s.cancelled[m.ID]
			wait := &needed
			if m.Method == "tools/call" && (cancelled || m.Params.Name == "silent") {
				wait = &all
			}
			wait.Go(func() {
				if m.Method == "notifications/cancelled" {
					time.Sleep(pause) // from none to what a call takes
				}
				answer, err := postMessage(client, address, id, m.text)
				if err != nil {
					t.Errorf("seed %d: %s: %v", seed, m.text, err)
				}
				if err := answeredAs(m, cancelled, answer); err != nil {
					t.Errorf("seed %d: %s: %v", seed, m.text, err)
				}
			})
			if s.held[m.ID] {
				release <- struct{}{}
			}
			if i%4 == 3 {
				time.Sleep(pause) // interleaves in another way
			}
		}
		needed.Wait()
		for end := deadline(); !session.hasAll(s) && time.Now().Before(end); {
			time.Sleep(100 * time.Microsecond)
		}
		close(session.over)
		all.Wait()
		if err := s.checkCancelled(session.list); err != nil {
			t.Errorf("seed %d: %v; got\n%s", seed, err, strings.Join(session.texts(), "\n"))
		}
		if !session.hasAll(s) {
			t.Errorf("seed %d: calls are missing; got\n%s", seed, strings.Join(session.texts(), "\n"))
		}
		for len(release) > 0 { // for calls that were cancelled
			<-release
		}
		if t.Failed() {
			return
		}
	}
}

// hasAll reports whether each call that was not cancelled has reached the server.
func (s *streamSession) hasAll(sent *randomSession) bool {
	reached := map[string]bool{}
	for _, text := range s.texts() {
		reached[text] = true
	}
	for _, m := range sent.sent {
		if _, cancelled := sent.cancelled[m.ID]; m.Method == "tools/call" && !cancelled && !reached[m.text] {
			return false
		}
	}
	return true
}

// answeredAs compares the answer to a request with what the server sent.
func answeredAs(m rpc, cancelled bool, answer string) error {
	has := strings.Contains(answer, fmt.Sprintf(`"id":%d,`, m.ID))
	switch {
	case m.Method != "tools/call":
		return nil
	case !cancelled && !has:
		return fmt.Errorf("got %q, want its answer", answer)
	case m.Params.Name == "y":
		return nil
	case cancelled && m.Params.Name == "silent" && has:
		return fmt.Errorf("got %q, want no answer to a call that was given up", answer)
	case (!cancelled || answer != "") && !strings.HasSuffix(answer, lastEvent):
		return fmt.Errorf("got %q, want the stream up to its end", answer)
	}
	return nil
}
