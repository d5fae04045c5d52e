// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspush

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// The headers of a push.
const (
	headerSequence = "Toolscope-Sequence" // counts the pushes of an instance from 1
	headerFinal    = "Toolscope-Final"    // "true" on the last one
)

// path is where instances are, below the receiver's address.
const path = "/api/v1/instances"

// MinToken is the shortest token taken, in bytes.
const MinToken = 16

// Options are what [New] needs to know.
type Options struct {
	// Token is the receiver's. It is required: at least 16 bytes without blanks. It is sent as it is, so use
	// https where others can listen.
	Token string
	// Every is the time between pushes, 1 s to 10 min. 0 is 10 s.
	Every time.Duration
	// Client sends the requests. Nil is one that gives up after 10 s and follows no redirects.
	Client *http.Client
}

// A Push sends a recorder's statistics to a receiver until it is closed. It is safe for concurrent use.
type Push struct {
	recorder *stats.Recorder
	base     *url.URL
	options  Options
	stop     context.CancelFunc
	done     chan struct{}

	sending  sync.Mutex // held while a push is under way
	id       string
	sequence uint64
	before   *stats.Snapshot // counted before this instance began; nil if nothing was
	accepted *stats.Snapshot // the last one accepted; nil if none was

	mu       sync.Mutex
	problem  error // of the last push; nil if it was accepted
	pushes   uint64
	failures uint64
}

// New begins to push the statistics of a recorder to the receiver at an http or https address, and
// goes on until [Push.Close]. It does not wait for the receiver: whether it can be reached is shown by [Push.Components].
func New(address string, r *stats.Recorder, o Options) (*Push, error) {
	base, err := parseAddress(address)
	if err != nil {
		return nil, fmt.Errorf("statspush: address: %w", err)
	}
	if err := checkToken(o.Token); err != nil {
		return nil, fmt.Errorf("statspush: Options.Token: %w", err)
	}
	if o.Every = cmp.Or(o.Every, 10*time.Second); o.Every < time.Second || o.Every > 10*time.Minute {
		return nil, fmt.Errorf("statspush: Options.Every: got %v, want 1s to 10m", o.Every)
	}
	if r == nil {
		return nil, errors.New("statspush: recorder: got nil, want one")
	}
	if o.Client == nil {
		o.Client = &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Push{recorder: r, base: base, options: o, stop: stop, done: make(chan struct{}), id: rand.Text()}
	// What a directory brought back was counted by an earlier process, which has pushed it.
	if s := r.Snapshot(stats.Window{Until: r.Started()}); len(s.Tools) > 0 {
		p.before = s
	}
	go p.run(ctx)
	return p, nil
}

// checkToken returns what is wrong with a token, without the token.
func checkToken(token string) error {
	if len(token) < MinToken || strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("got %d bytes, want at least %d without blanks", len(token), MinToken)
	}
	return nil
}

// parseAddress returns what is wrong with an address without its text, which may have a password or token.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	var got string
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		got = "none that begins with http:// or https:// and a host"
	case u.User != nil:
		got = "one with a user"
	case u.RawQuery != "":
		got = "one with a query"
	case u.Fragment != "":
		got = "one with a fragment"
	default:
		return u, nil
	}
	return nil, fmt.Errorf("got %s, want a URL such as http://127.0.0.1:9464", got)
}

// run pushes until ctx ends. Processes that start together do not push together.
func (p *Push) run(ctx context.Context) {
	defer close(p.done)
	wait := mathrand.N(p.options.Every)
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		_ = p.push(ctx, false) // Components reports it
		wait = p.options.Every
	}
}

// Flush pushes now. It returns why the receiver did not accept the push; then the next push has its counts.
func (p *Push) Flush(ctx context.Context) error { return p.push(ctx, false) }

// Close pushes for the last time and ends. It returns an error if that push was not accepted by the end
// of ctx; then the receiver lacks what was counted since the last one that was. Later calls return nil.
func (p *Push) Close(ctx context.Context) error {
	p.stop()
	<-p.done
	return p.push(ctx, true)
}

// push sends what the recorder has counted since the beginning of the instance. A receiver that does not know
// the instance, since it was restarted, is sent what it has not accepted under a new name.
func (p *Push) push(ctx context.Context, final bool) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	if p.id == "" { // closed
		return nil
	}
	s := p.recorder.Snapshot(stats.Window{})
	status, err := p.put(ctx, s, final)
	if status == http.StatusConflict {
		p.id, p.sequence = rand.Text(), 0
		if p.accepted != nil {
			p.before = p.accepted
		}
		_, err = p.put(ctx, s, final)
	}
	if err == nil {
		p.accepted = s
	}
	if final {
		p.id = ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problem = err
	if p.pushes++; err != nil {
		p.failures++
		return fmt.Errorf("statspush: %s: %w", p.base.Host, err)
	}
	return nil
}

// put sends a snapshot. status is 0 if there was no answer.
func (p *Push) put(ctx context.Context, s *stats.Snapshot, final bool) (status int, err error) {
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	if err := json.NewEncoder(zip).Encode(s.Sub(p.before)); err != nil {
		return 0, err
	}
	if err := zip.Close(); err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, p.base.JoinPath(path, p.id).String(), &body)
	if err != nil {
		return 0, err
	}
	p.sequence++
	h := req.Header
	h.Set("Authorization", "Bearer "+p.options.Token)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Encoding", "gzip")
	h.Set(headerSequence, strconv.FormatUint(p.sequence, 10))
	h.Set(headerFinal, strconv.FormatBool(final))
	resp, err := p.options.Client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the address
		}
		return 0, err
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 2048))
	if resp.StatusCode == http.StatusNoContent {
		return resp.StatusCode, nil
	}
	hint := ""
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
		hint = ": is it the address of a receiver, such as 'toolscope stats serve'?"
	}
	return resp.StatusCode, fmt.Errorf("got status %d and %q, want 204%s", resp.StatusCode,
		display.Clip(string(bytes.TrimSpace(text)), 200), hint)
}

// Components reports whether pushes are accepted. Push is a [stats.HealthSource].
func (p *Push) Components() []stats.Component {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := stats.Component{Name: "statistics push", Figures: stats.Figures{
		{Name: "pushes", Value: float64(p.pushes)}, {Name: "failures", Value: float64(p.failures)},
	}}
	if p.problem != nil {
		c.Problems = []string{fmt.Sprintf("%s did not accept the last push: %v; nothing is lost while this program runs",
			p.base.Host, p.problem)}
	}
	return []stats.Component{c}
}
