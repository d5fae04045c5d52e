// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// DefaultURL is asked where no program is named or found.
const DefaultURL = "http://127.0.0.1:9464/"

// MaxAnswer is how much of an answer is read, in bytes. Snapshots have a limit of their own.
const MaxAnswer = 16 << 20

// A Source is a program that is asked over HTTP.
type Source struct {
	Name  string // as it is printed: without user and password
	Base  *url.URL
	token string
	// hint is added to the error of a program that cannot be asked.
	hint   string
	client *http.Client
}

// NewSource checks a URL.
func NewSource(text, token string, timeout time.Duration) (*Source, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf(
			"got URL %s, want an http or https URL without a query, such as %s", display.Clip(text, 100),
			DefaultURL,
		)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	client := &http.Client{Timeout: timeout, CheckRedirect: sameOrigin}
	return &Source{Name: u.Redacted(), Base: u, token: token, client: client}, nil
}

// Get asks for a resource and decodes its JSON into v.
func (s *Source) Get(ctx context.Context, path string, query url.Values, v any) error {
	return s.get(ctx, path, query, func(r io.Reader) error { return json.NewDecoder(io.LimitReader(r, MaxAnswer)).Decode(v) })
}

// Snapshot asks for a snapshot.
func (s *Source) Snapshot(ctx context.Context, query url.Values) (snapshot *stats.Snapshot, err error) {
	err = s.get(ctx, "api/v1/snapshot", query, func(r io.Reader) (err error) {
		snapshot, err = stats.ReadSnapshot(r)
		return err
	})
	return snapshot, err
}

// Between asks for the snapshot of a time.
func (s *Source) Between(ctx context.Context, since, until time.Time) (*stats.Snapshot, error) {
	return s.Snapshot(ctx, url.Values{"since": {since.Format(time.RFC3339Nano)}, "until": {until.Format(time.RFC3339Nano)}})
}

// Before asks for the window before the one that a snapshot covers; window is its name, or "". It
// is nil if there is none, or nothing was counted in it.
func (s *Source) Before(ctx context.Context, of *stats.Snapshot, window string) (*stats.Snapshot, error) {
	length := of.To.Sub(of.From)
	if w, err := stats.ParseWindow(window); err == nil {
		length = min(length, w.Last)
	}
	if length <= 0 {
		return nil, nil
	}
	before, err := s.Between(ctx, of.From.Add(-length), of.From)
	if err != nil || len(before.Tools) == 0 {
		return nil, err
	}
	return before, nil
}

// Sessions asks for the latest sessions, as many as limit says.
func (s *Source) Sessions(ctx context.Context, limit string) ([]stats.SessionStats, error) {
	var answer struct {
		Sessions []stats.SessionStats `json:"sessions"`
	}
	err := s.Get(ctx, "api/v1/sessions", url.Values{"limit": {limit}}, &answer)
	return answer.Sessions, err
}

// Loops asks for the calls that sessions repeat, the most frequent first.
func (s *Source) Loops(ctx context.Context) ([]stats.Loop, error) {
	var answer struct {
		Loops []stats.Loop `json:"loops"`
	}
	err := s.Get(ctx, "api/v1/loops", nil, &answer)
	return answer.Loops, err
}

// get asks for a resource and hands its body to read.
func (s *Source) get(ctx context.Context, path string, query url.Values, read func(io.Reader) error) error {
	u := s.Base.JoinPath(path)
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	return s.Do(r, read)
}

// Do sends a request with the token, and hands the answer's body to read. An answer other than 200
// is a [*StatusError].
func (s *Source) Do(r *http.Request, read func(io.Reader) error) error {
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		e := &StatusError{Code: answer.StatusCode, status: answer.Status}
		var problem struct{ Detail string }
		if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&problem); err == nil {
			e.detail = problem.Detail
		}
		return e
	}
	return read(answer.Body)
}

// StatusError is the error of an answer other than 200.
type StatusError struct {
	Code           int
	status, detail string
}

// Error returns the status and the detail that the program gave.
func (e *StatusError) Error() string {
	if e.detail == "" {
		return "got " + e.status + ", want a program with toolscope's HTTP handler there"
	}
	return e.status + ": " + e.detail
}

// Explain returns why the program could not be asked, without its URL, which is printed next to it.
func (s *Source) Explain(err error) string {
	var system *os.SyscallError
	var network *net.OpError
	var asked *url.Error
	switch {
	case errors.As(err, &system):
		err = system.Err
	case errors.As(err, &network):
		err = network.Err
	case errors.As(err, &asked):
		err = asked.Err
	}
	return err.Error() + s.hint
}

// sameOrigin does not follow redirects to another origin: they would send the request, and
// perhaps show its reader an answer, from a server that was not named.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme || len(via) > 3 {
		return fmt.Errorf("got a redirect to %s, want none to another origin", display.Clip(r.URL.String(), 100))
	}
	return nil
}
