// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A discovery checks the documents in which an MCP server names its authorization server (RFC 9728). The SDK passes
// over a document that it rejects, and goes on as if there were none: with the server's own origin.
type discovery struct {
	say   func(format string, args ...any)
	wants map[string]string // what each address of a document must name as the resource
	named string            // the address in the challenge, "" for none

	mu       sync.Mutex
	found    bool
	rejected error // why the first document was rejected; nil for none
	said     []string
}

// newDiscovery is that of a target that gave a challenge: the addresses are those that the SDK asks.
func newDiscovery(target *url.URL, asked http.Header, say func(format string, args ...any)) *discovery {
	origin := url.URL{Scheme: target.Scheme, Host: target.Host}
	const place = "/.well-known/oauth-protected-resource"
	d := &discovery{say: say, wants: map[string]string{
		origin.String() + place: origin.String(),
		origin.String() + place + "/" + strings.TrimLeft(target.EscapedPath(), "/"): target.String(),
	}}
	challenges, err := oauthex.ParseWWWAuthenticate(asked.Values("WWW-Authenticate"))
	for _, c := range challenges {
		if named := c.Params["resource_metadata"]; err == nil && named != "" {
			d.named, d.wants[named] = named, target.String()
			break
		}
	}
	if u, err := url.Parse(d.named); d.named != "" &&
		(err != nil || u.Scheme != "https" && reachOfHost(u.Hostname()) != here) {
		d.ignore(d.named, errors.New("want an https address")) // which the SDK does not ask
	}
	return d
}

// askedFirst is the address that a request is for, before redirects.
func askedFirst(req *http.Request) *url.URL {
	for req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req.URL
}

// refusal is why the sign-in must not go on without a document: the server has one, which was rejected.
func (d *discovery) refusal() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found {
		return nil
	}
	return d.rejected
}

// ignore says once that a document is not used.
func (d *discovery) ignore(address string, why error) {
	line := clean(fmt.Sprintf("the server's sign-in metadata at %.200s is ignored: %v", address, why))
	d.mu.Lock()
	again := slices.Contains(d.said, line)
	d.said = append(d.said, line)
	d.mu.Unlock()
	if !again {
		d.say("%s", line)
	}
}

// check notes the answer to a request for a document.
func (d *discovery) check(req *http.Request, address, want string, resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err != nil:
		d.ignore(address, plain(err))
		return nil, err
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return resp, nil
	case resp.StatusCode != http.StatusOK:
		if address == d.named || resp.StatusCode >= 500 {
			d.ignore(address, fmt.Errorf("the server answered %d", resp.StatusCode))
		}
		return resp, nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		d.ignore(address, plain(err))
		return nil, err
	}
	again := replay(func() *http.Response {
		copied := *resp
		copied.Body = io.NopCloser(bytes.NewReader(text))
		return &copied
	})
	_, err = oauthex.GetProtectedResourceMetadata(req.Context(), address, want, &http.Client{Transport: again})
	if err != nil {
		_, why, _ := strings.Cut(err.Error(), "): ")
		err = errors.New(why)
		d.ignore(address, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found = d.found || err == nil; err != nil && d.rejected == nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d.rejected = fmt.Errorf("the server's sign-in metadata at %.200s was rejected: %w", address, err)
	}
	return again(), nil
}

// replay answers each request with a response that there was.
type replay func() *http.Response

func (r replay) RoundTrip(*http.Request) (*http.Response, error) { return r(), nil }
