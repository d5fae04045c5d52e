// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

// maxAnswer is how much of an answer is read, in bytes, but for snapshots, whose
// reader has a bound of its own.
const maxAnswer = 16 << 20

// source is a program that is asked over HTTP.
type source struct {
	name   string // as it is printed: without user and password
	hint   string // added to the error of a program that cannot be asked
	base   *url.URL
	token  string
	client *http.Client
	query  url.Values
}

// newSource checks a URL.
func newSource(text, token string, o *statsOptions) (*source, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("got URL %s, want an http or https URL without a query, such as %s", display.Clip(text, 100), defaultURL)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	s := &source{name: u.Redacted(), base: u, token: token, client: &http.Client{Timeout: o.timeout, CheckRedirect: sameOrigin}, query: url.Values{}}
	for name, value := range map[string]string{"window": o.window, "since": o.since, "until": o.until} {
		if value != "" {
			s.query.Set(name, value)
		}
	}
	return s, nil
}

// view asks for what the tables show.
func (s *source) view(ctx context.Context, o *statsOptions) (*view, error) {
	v := &view{window: o.window, tool: o.tool, sort: o.sort}
	err := s.get(ctx, "api/v1/snapshot", s.query, func(r io.Reader) (err error) {
		v.snapshot, err = stats.ReadSnapshot(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.before, err = s.before(ctx, v.snapshot, o); err != nil {
		return nil, err
	}
	var sessions struct {
		Sessions []stats.SessionStats `json:"sessions"`
	}
	var loops struct {
		Loops []stats.Loop `json:"loops"`
	}
	if err := s.get(ctx, "api/v1/sessions", url.Values{"limit": {"20"}}, into(&sessions)); err != nil {
		return nil, err
	}
	if err := s.get(ctx, "api/v1/loops", nil, into(&loops)); err != nil {
		return nil, err
	}
	if o.tool == "" {
		v.sessions = sessions.Sessions
	}
	for _, l := range loops.Loops {
		if o.tool == "" || l.Tool == o.tool {
			v.loops = append(v.loops, l)
		}
	}
	return v, nil
}

// before asks for the window before the one that an answer covers; nil if there is
// none, or nothing was counted in it.
func (s *source) before(ctx context.Context, of *stats.Snapshot, o *statsOptions) (before *stats.Snapshot, err error) {
	length := of.To.Sub(of.From)
	if w, err := stats.ParseWindow(o.window); err == nil {
		length = min(length, w.Last)
	}
	if length <= 0 {
		return nil, nil
	}
	query := url.Values{"since": {of.From.Add(-length).Format(time.RFC3339Nano)}, "until": {of.From.Format(time.RFC3339Nano)}}
	err = s.get(ctx, "api/v1/snapshot", query, func(r io.Reader) (err error) {
		before, err = stats.ReadSnapshot(r)
		return err
	})
	if err != nil || len(before.Tools) == 0 {
		return nil, err
	}
	return before, nil
}

func into(v any) func(io.Reader) error {
	return func(r io.Reader) error { return json.NewDecoder(io.LimitReader(r, maxAnswer)).Decode(v) }
}

// get asks for one resource and hands its body to read.
func (s *source) get(ctx context.Context, path string, query url.Values, read func(io.Reader) error) error {
	u := s.base.JoinPath(path)
	u.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return refusal(answer)
	}
	return read(answer.Body)
}

// refusal is the error that an answer other than 200 tells of.
func refusal(answer *http.Response) error {
	var p struct {
		Detail string `json:"detail"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&p); err != nil || p.Detail == "" {
		return fmt.Errorf("got %s, want a program with toolscope's HTTP handler there", answer.Status)
	}
	return fmt.Errorf("%s: %s", answer.Status, p.Detail)
}

// readToken reads the token of a file, else of the environment.
func readToken(file string, stdin io.Reader) (string, error) {
	if file == "" {
		return os.Getenv("TOOLSCOPE_TOKEN"), nil
	}
	from := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, 4096))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// Redirects are not followed to another origin: they would take the question, and
// perhaps the answer's reader, somewhere else than was said.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if first := via[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme || len(via) > 3 {
		return fmt.Errorf("got a redirect to %s, want none to another origin", display.Clip(r.URL.String(), 100))
	}
	return nil
}
