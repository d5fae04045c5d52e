// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say what to sign in to, and how. Target, Say and Open must be set.
type Options struct {
	// Target is the URL of the MCP server.
	Target *url.URL
	// Resource is named in requests for tokens; "" is what the server's metadata names. NoResource names none, for
	// authorization servers that refuse the parameter.
	Resource   string
	NoResource bool
	// ClientID is how the authorization server knows this client: an id that it gave, or the https address of a
	// client metadata document. "" registers one. ClientSecret belongs to an id.
	ClientID, ClientSecret string
	// Scopes are asked for; nil are those that the server names.
	Scopes []string
	// Port is that of the loopback address that the browser is sent to after the sign-in; 0 is any.
	Port int
	// Wait is how long a person has to sign in; 0 is five minutes.
	Wait time.Duration
	// Say shows a line to the operator, and Open a page to the person.
	Say  func(format string, args ...any)
	Open func(page string) error
	// Dir keeps the credentials; "" is the directory of the user's state.
	Dir string
}

// A Client signs in to one MCP server. Safe for concurrent use.
type Client struct {
	o    Options
	path string // of the file
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	had     *Credentials // nil for none
	read    os.FileInfo  // of the file as it was read; nil for none
	renewal *renewal     // the one that runs; nil for none

	failed   error // of the last sign-in; nil after one that went well
	failedAt time.Time
	asked    map[string]time.Time // scopes that were signed in for, and when
}

// A renewal is a refresh or a sign-in that all requests wait for.
type renewal struct {
	done chan struct{}
	err  error
}

// pause is how long after a sign-in that failed the next one may begin: a client that asks again and again must
// not open page after page.
const pause = 30 * time.Second

// New makes a client. The error says that there is no place for the credentials.
func New(o Options) (*Client, error) {
	if o.Target.Scheme != "https" && reachOfHost(o.Target.Hostname()) != here {
		return nil, fmt.Errorf(
			"signin: got the address %s://%s, where others could read the token, want https",
			o.Target.Scheme,
			o.Target.Host,
		)
	}
	s, err := openStore(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Wait <= 0 {
		o.Wait = 5 * time.Minute
	}
	o.Say = oneLine(o.Say)
	c := &Client{
		o: o, asked: map[string]time.Time{},
		path: s.path(o.Target.String(), o.Resource, fmt.Sprint(o.NoResource), o.ClientID),
	}
	c.life, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Close ends what runs.
func (c *Client) Close() { c.end() }

// current returns what is signed in to, as the file has it now: another process may have signed in or out. The
// caller holds the lock.
func (c *Client) current() (*Credentials, error) {
	info, err := os.Lstat(c.path)
	if err == nil && c.read != nil && os.SameFile(info, c.read) && info.ModTime().Equal(c.read.ModTime()) &&
		info.Mode() == c.read.Mode() {
		return c.had, nil
	}
	c.had, c.read = nil, nil
	had, info, err := c.open()
	if errors.Is(err, errCorrupt) {
		c.o.Say("%v; the next sign-in replaces it", err)
		had, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.had, c.read = had, info
	return had, nil
}

// open reads the file.
func (c *Client) open() (*Credentials, os.FileInfo, error) {
	had, info, err := open(c.path, c.o.Say)
	if had != nil && had.Target != c.o.Target.String() { // a hash says the same of both, or the file was moved
		return nil, nil, fmt.Errorf("signin: %s: got credentials of another server, want none or this one's", c.path)
	}
	return had, info, err
}

// token returns the access token, refreshed if it is over; "" for none, for which the server will ask.
func (c *Client) token(ctx context.Context) (string, error) {
	c.mu.Lock()
	had, err := c.current()
	c.mu.Unlock()
	if err != nil || had == nil {
		return "", err
	}
	if !had.expired() {
		return had.AccessToken, nil
	}
	if had.RefreshToken == "" {
		return "", nil
	}
	err = c.renew(ctx, had.AccessToken, c.refreshed)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return "", err
	}
	had, err = c.current()
	if had == nil || had.expired() {
		return "", err
	}
	return had.AccessToken, err
}

// renew replaces a token that the server did not take, or that is over, by work. Requests at the same time share
// one renewal, which goes on when they are given up; one that comes later finds another token and returns.
func (c *Client) renew(
	ctx context.Context,
	used string,
	work func(context.Context, *Credentials) (*Credentials, error),
) error {
	for {
		c.mu.Lock()
		had, err := c.current()
		if err != nil || had != nil && had.AccessToken != used && !had.expired() {
			c.mu.Unlock()
			return err
		}
		r, own := c.renewal, false
		if r == nil {
			r, own = &renewal{done: make(chan struct{})}, true
			c.renewal = r
			go c.work(r, used, work)
		}
		c.mu.Unlock()
		select {
		case <-r.done:
			if own || r.err != nil {
				return r.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// work does a renewal, alone among the processes of this machine.
func (c *Client) work(r *renewal, used string, work func(context.Context, *Credentials) (*Credentials, error)) {
	ctx, cancel := context.WithTimeout(c.life, c.o.Wait)
	defer cancel()
	err := func() error {
		unlock, err := lock(ctx, c.path, c.o.Say)
		if err != nil {
			return err
		}
		defer unlock()
		c.mu.Lock()
		had, err := c.current()
		c.mu.Unlock()
		if err != nil || had != nil && had.AccessToken != used && !had.expired() { // another process did it
			return err
		}
		made, err := work(ctx, had)
		if err != nil || made == nil {
			return err
		}
		return write(c.path, made)
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewal, c.read = nil, nil
	r.err = err
	close(r.done)
}

// refreshed is had with a new token; without an error and without a token if a person has to sign in again.
func (c *Client) refreshed(ctx context.Context, had *Credentials) (*Credentials, error) {
	if had == nil || had.RefreshToken == "" {
		return nil, nil
	}
	made, over, err := c.refresh(ctx, had)
	if err == nil {
		return made, nil
	}
	if !over {
		return nil, fmt.Errorf("the token could not be refreshed: %w", err)
	}
	c.o.Say("the authorization server of %s does not refresh the token any more: %v", c.o.Target.Host, err)
	dead := *had
	dead.AccessToken, dead.RefreshToken, dead.Expires = "", "", time.Time{}
	return &dead, nil
}

// signedIn returns the work of a sign-in that an answer asks for.
func (c *Client) signedIn(asked challenge) func(context.Context, *Credentials) (*Credentials, error) {
	return func(ctx context.Context, had *Credentials) (*Credentials, error) {
		c.mu.Lock()
		failed, ago := c.failed, time.Since(c.failedAt)
		c.mu.Unlock()
		if failed != nil && ago < pause {
			return nil, fmt.Errorf("%w (tried %v ago; 'toolscope login' tries at once)", failed, ago.Round(time.Second))
		}
		made, err := c.signIn(ctx, asked, had)
		if err != nil {
			err = fmt.Errorf("the sign-in failed: %w", err)
			c.o.Say("%v", err)
		} else {
			c.o.Say("signed in to %s at %s", c.o.Target.Host, made.Issuer)
		}
		c.mu.Lock()
		c.failed, c.failedAt = err, time.Now()
		c.mu.Unlock()
		return made, err
	}
}

// scopePause is how long after a sign-in for some scopes the same ones are not asked for again: the authorization
// server did not grant them.
const scopePause = 10 * time.Minute

// maxAsked is how many of those are remembered.
const maxAsked = 100

// errNotGranted says that a sign-in for the same scopes was not long ago.
var errNotGranted = errors.New("the authorization server did not grant the scopes")

// steppedUp returns the work of a sign-in for more scopes.
func (c *Client) steppedUp(asked challenge, scopes []string) func(context.Context, *Credentials) (*Credentials, error) {
	slices.Sort(scopes)
	key := strings.Join(slices.Compact(scopes), " ")
	return func(ctx context.Context, had *Credentials) (*Credentials, error) {
		c.mu.Lock()
		at, before := c.asked[key]
		if before = before && time.Since(at) < scopePause; !before {
			if len(c.asked) >= maxAsked {
				clear(c.asked)
			}
			c.asked[key] = time.Now()
		}
		c.mu.Unlock()
		if before {
			return nil, errNotGranted
		}
		return c.signedIn(asked)(ctx, had)
	}
}

// SignIn signs in if the server wants that, over base. It returns nil if it does not.
func (c *Client) SignIn(ctx context.Context, base http.RoundTripper) (*Credentials, error) {
	t := c.Transport(base)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.Target.String(), strings.NewReader(hello))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := t.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	if failed := (*refused)(nil); errors.As(resultOf(resp), &failed) {
		return nil, failed.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current()
}

// SignOut revokes the tokens at the authorization server, as far as it can, and forgets them. It reports whether
// there were any; an error is of the revocation or of the file.
func (c *Client) SignOut(ctx context.Context) (bool, error) {
	unlock, err := lock(ctx, c.path, c.o.Say)
	if err != nil {
		return false, err
	}
	defer unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	had, _, err := c.open()
	switch {
	case errors.Is(err, errCorrupt):
		return true, errors.Join(fmt.Errorf("deleted, but not revoked: %w", err), os.Remove(c.path))
	case had == nil:
		return false, err
	}
	return true, errors.Join(forget(ctx, had), os.Remove(c.path))
}

// forget revokes what can be revoked.
func forget(ctx context.Context, had *Credentials) error {
	if had.RevokeURL == "" || had.AccessToken == "" && had.RefreshToken == "" {
		return nil
	}
	if err := revoke(ctx, had); err != nil {
		return fmt.Errorf("forgotten here, but not revoked: %w", err)
	}
	return nil
}
