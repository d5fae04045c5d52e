// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/revision"
)

const (
	maxMessage = 16 << 20        // bytes
	maxRunning = 64              // requests at a time
	endTime    = 2 * time.Second // to end the session
	pause      = time.Second     // before the stream of the server's own messages is opened again
)

// Options say which server there is.
type Options struct {
	Target    string
	Headers   map[string]string // sent with each request
	Transport http.RoundTripper
}

// A bridge is one client's connection.
type bridge struct {
	o      Options
	client *http.Client
	slots  chan struct{}

	mu      sync.Mutex // of what follows, and of writing
	out     io.Writer
	session string
	version string
}

// message is what of a message decides how it is sent.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// Run passes messages on until in ends or ctx is over.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	b := &bridge{o: o, client: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // headers and arguments are the server's alone
	}}, out: out, slots: make(chan struct{}, maxRunning)}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	defer b.end(ctx)
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxMessage)
	for lines.Scan() {
		raw := bytes.TrimSpace(bytes.Clone(lines.Bytes()))
		if len(raw) == 0 {
			continue
		}
		var m message
		_ = json.Unmarshal(raw, &m) // the server says what is wrong with others
		if m.Method == "initialize" || len(m.ID) == 0 || m.Method == "" {
			b.post(ctx, raw, &m)
			if m.Method == "notifications/initialized" && !b.isStateless(&m) {
				running.Go(func() { b.listen(ctx) })
			}
			continue
		}
		select {
		case b.slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		running.Go(func() {
			defer func() { <-b.slots }()
			b.post(ctx, raw, &m)
		})
	}
	return lines.Err()
}

func (b *bridge) isStateless(m *message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !revision.ParseLater(b.revision(m)).HasSessions()
}

// revision is that of a message, or of its session; the caller holds the lock.
func (b *bridge) revision(m *message) string {
	if m != nil && m.Params.Meta.Version != "" {
		return m.Params.Meta.Version
	}
	return b.version
}

// request makes a request with the headers of the session and of a message.
func (b *bridge) request(ctx context.Context, method string, body []byte, m *message) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.o.Target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range b.o.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" {
		req.Header.Set("Mcp-Session-Id", b.session)
	}
	declared := b.revision(m)
	if declared != "" {
		req.Header.Set("Mcp-Protocol-Version", declared)
	}
	if m == nil || !revision.ParseLater(declared).DemandsMirroredHeaders() || m.Method == "" {
		return req, nil
	}
	req.Header.Set("Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.URI; name != "" {
		req.Header.Set("Mcp-Name", encoded(name))
	}
	return req, nil
}

// post sends a message and writes what comes of it. A request that is not answered gets an error.
func (b *bridge) post(ctx context.Context, raw []byte, m *message) {
	answered, err := b.exchange(ctx, raw, m)
	if answered || len(m.ID) == 0 || m.Method == "" || ctx.Err() != nil {
		return
	}
	text := "the server's stream ended without an answer"
	if err != nil {
		text = err.Error()
	}
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32000, "message": "toolscope: " + text},
	})
	if err == nil {
		b.write(line)
	}
}

// exchange reports whether the message's answer was written.
func (b *bridge) exchange(ctx context.Context, raw []byte, m *message) (answered bool, _ error) {
	req, err := b.request(ctx, http.MethodPost, raw, m)
	if err != nil {
		return false, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return false, errors.New("the server could not be reached")
	}
	defer resp.Body.Close()
	take := func(line []byte) {
		answered = b.takeMessage(line, m, resp.Header.Get("Mcp-Session-Id")) || answered
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case kind == "text/event-stream" && resp.StatusCode < 300:
		_, err = events(resp.Body, take)
	case kind == "application/json" && (resp.StatusCode < 300 || len(m.ID) > 0):
		body, failed := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
		if err = failed; err == nil && len(bytes.TrimSpace(body)) > 0 {
			take(body)
		}
	}
	if resp.StatusCode >= 300 && !answered {
		return false, fmt.Errorf("the server answered %s", resp.Status)
	}
	return answered, err
}

// takeMessage writes a message of the server's, and reports whether it answers m.
func (b *bridge) takeMessage(line []byte, m *message, session string) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, line) != nil {
		return false
	}
	var got struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(compact.Bytes(), &got) // a batch is none of these
	answers := m != nil && len(m.ID) > 0 && got.Method == "" && bytes.Equal(got.ID, m.ID)
	if m != nil && len(m.ID) > 0 && got.Method == "" && !answers && len(got.Error) > 0 {
		return false // of no request: the client gets an error for its own
	}
	if answers && m.Method == "initialize" && len(got.Error) == 0 {
		b.mu.Lock()
		b.session, b.version = session, got.Result.Version
		b.mu.Unlock()
	}
	b.write(compact.Bytes())
	return answers
}

// write writes a line.
func (b *bridge) write(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.out.Write(append(line, '\n')) // the client is gone, and its input ends
}

// listen reads the server's own messages until ctx is over, or the server has no such stream.
func (b *bridge) listen(ctx context.Context) {
	last := ""
	for ctx.Err() == nil {
		req, err := b.request(ctx, http.MethodGet, nil, nil)
		if err != nil {
			return
		}
		if last != "" {
			req.Header.Set("Last-Event-Id", last)
		}
		resp, err := b.client.Do(req)
		if err == nil {
			kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
			if resp.StatusCode >= 400 && resp.StatusCode < 500 || resp.StatusCode < 300 && kind != "text/event-stream" {
				_ = resp.Body.Close()
				return
			}
			id, _ := events(resp.Body, func(line []byte) { b.takeMessage(line, nil, "") })
			_ = resp.Body.Close()
			if id != "" {
				last = id
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// end ends the session.
func (b *bridge) end(ctx context.Context) {
	b.mu.Lock()
	session := b.session
	b.mu.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	req, err := b.request(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		return
	}
	if resp, err := b.client.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// events reads server-sent events until they end, and returns the last one's id.
func events(body io.Reader, take func(data []byte)) (id string, _ error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 64<<10), maxMessage)
	var data []byte
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			if len(data) > 0 {
				take(data)
			}
			data = nil
		case string(field) == "data":
			if len(data)+len(value) > maxMessage {
				return id, bufio.ErrTooLong
			}
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case string(field) == "id" && !bytes.ContainsAny(value, "\x00\r\n"):
			id = string(value)
		}
	}
	return id, lines.Err()
}

// encoded is a name as a header can carry it (revision 2026-07-28).
func encoded(name string) string {
	plain := !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' })
	if plain && strings.TrimSpace(name) == name && !strings.HasPrefix(name, "=?base64?") {
		return name
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
}
