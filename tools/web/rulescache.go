// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	rulesTime = time.Hour // how long a robots.txt is believed; RFC 9309 allows a day
	maxRules  = 256       // hosts whose rules are kept
)

// rulesCache keeps what hosts' robots.txt said.
type rulesCache struct {
	mu    sync.Mutex
	known map[string]knownRules
}

type knownRules struct {
	rules rules
	until time.Time
}

func (c *rulesCache) find(origin string) (rules, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[origin]
	return k.rules, ok && time.Now().Before(k.until)
}

func (c *rulesCache) keep(origin string, r rules) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxRules {
		c.known = make(map[string]knownRules)
	}
	c.known[origin] = knownRules{r, time.Now().Add(rulesTime)}
}

// checkRobots refuses a page that its host's robots.txt keeps crawlers from.
func (t *Toolset) checkRobots(ctx context.Context, u *url.URL) error {
	origin := u.Scheme + "://" + u.Host
	r, ok := t.rules.find(origin)
	if !ok {
		var err error
		if r, err = t.readRobots(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}); err != nil {
			return err
		}
		t.rules.keep(origin, r)
	}
	path := u.EscapedPath()
	path = cmp.Or(path, "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if !r.allow(path) {
		return &toolkit.Error{Kind: toolkit.ErrPermissionDenied,
			Message: fmt.Sprintf("the robots.txt of %.100q does not allow programs to read this page", u.Host)}
	}
	return nil
}

// readRobots asks for a robots.txt. One that is not there allows everything; one that
// cannot be had for another reason allows nothing (RFC 9309 section 2.3.1).
func (t *Toolset) readRobots(ctx context.Context, u *url.URL) (rules, error) {
	res, err := t.get(ctx, u, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode >= 400 && res.StatusCode < 500:
		return nil, nil
	case res.StatusCode != http.StatusOK:
		return nil, arg.Failed(fmt.Sprintf("the robots.txt of %.100q cannot be read (%d), and so the page may not be",
			u.Host, res.StatusCode))
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRobots))
	if err != nil {
		return nil, t.explain(ctx, u, err)
	}
	return parseRobots(string(text), t.agent), nil
}
