// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

// Options say where events go.
type Options struct {
	// URL receives the events, by POST.
	URL string
	// Secret signs them; 16 bytes or more.
	Secret []byte
	// Page is the address of the page of approvals, for the people who read the event. "" sends none.
	Page string
	// Client sends the requests. nil is a client that follows no redirects and waits for 10 seconds.
	Client *http.Client
	// OnError is called with the error of an event that could not be delivered; it must not block. nil is no function.
	OnError func(error)
}

// The bounds of the delivery.
const (
	maxQueued = 100
	attempts  = 3
	pause     = 2 * time.Second // before the second attempt; before the third it is twice that
)

// An Event is the body of a request.
type Event struct {
	Type      string           `json:"type"`           // approval. and the state: approval.pending, approval.approved and so on
	Timestamp time.Time        `json:"timestamp"`      // when it happened
	Text      string           `json:"text"`           // what happened in a sentence, as chat systems show it
	Page      string           `json:"page,omitempty"` // address of the page of approvals
	Data      approve.Decision `json:"data"`           // request, redacted, and what became of it
}

// A Webhook delivers events in the background, in order. Make one with [New]. Safe for concurrent use.
type Webhook struct {
	options Options

	mu      sync.Mutex
	queue   []approve.Decision
	running bool
}

// New checks the options. Nothing is sent before the first [Webhook.Tell].
func New(o Options) (*Webhook, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, errors.New("webhook: Options.URL: want an http or https URL")
	}
	if len(o.Secret) < 16 {
		return nil, fmt.Errorf("webhook: Options.Secret: got %d bytes, want 16 or more", len(o.Secret))
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	return &Webhook{options: o}, nil
}

// Tell delivers what became of a request; it does not wait. It is the Tell of [approve.Options]. If 100 events wait, the
// oldest one is dropped.
func (w *Webhook) Tell(d approve.Decision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) >= maxQueued {
		w.queue = w.queue[1:]
		go w.reportError(errors.New("webhook: an event was dropped: 100 wait"))
	}
	w.queue = append(w.queue, d)
	if !w.running {
		w.running = true
		go w.deliver()
	}
}

// deliver sends what waits, and ends.
func (w *Webhook) deliver() {
	for {
		w.mu.Lock()
		if len(w.queue) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		d := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		if err := w.send(d); err != nil {
			w.reportError(fmt.Errorf("webhook: %w", err))
		}
	}
}

func (w *Webhook) reportError(err error) {
	defer func() { _ = recover() }()
	if w.options.OnError != nil {
		w.options.OnError(err)
	}
}

// send sends one event, and tries again if the receiver could not take it.
func (w *Webhook) send(d approve.Decision) error {
	at := d.Decided
	if at.IsZero() {
		at = d.Created
	}
	e := Event{Type: "approval." + string(d.State), Timestamp: at, Text: text(&d), Page: w.options.Page, Data: d}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%s.%s.%d", d.ID, d.State, at.UnixNano())
	for n := 1; ; n++ {
		again, err := w.post(id, body)
		if err == nil || !again || n == attempts {
			return err
		}
		time.Sleep(time.Duration(n) * pause)
	}
}

// text says what happened.
func text(d *approve.Decision) string {
	what := d.Tool
	if d.Trigger == "stop" {
		what = "session " + d.Session + " agent " + d.Agent + " tool " + d.Tool
	}
	s := fmt.Sprintf("%s: %s %s", display.Clip(what, 200), d.State, display.Clip(d.Arguments, 400))
	if d.By != "" {
		s += " by " + display.Clip(d.By, 100)
	}
	return s
}

// post makes one attempt; again says whether another one may succeed.
func (w *Webhook) post(id string, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, w.options.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", at)
	r.Header.Set("Webhook-Signature", Sign(w.options.Secret, id, at, body))
	answer, err := w.options.Client.Do(r)
	if err != nil {
		var asked *url.Error // which quotes the URL, and that may be a secret
		if errors.As(err, &asked) {
			err = asked.Err
		}
		return true, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode >= 300 {
		return answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests,
			fmt.Errorf("got %s, want a status below 300", answer.Status)
	}
	return false, nil
}

// Sign returns the header Webhook-Signature of a request with these headers Webhook-Id and Webhook-Timestamp: receivers
// compare it in constant time ([hmac.Equal]), and refuse timestamps that are minutes away.
func Sign(secret []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
