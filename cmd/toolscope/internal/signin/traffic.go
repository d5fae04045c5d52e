// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	dialTime    = 10 * time.Second
	requestTime = 30 * time.Second
	maxAnswer   = 1 << 20 // bytes of metadata or of a token
)

// traffic is the HTTP of a sign-in and of a refresh, as far inside as reach says. It has requests for tokens name
// the resource, which x/oauth2 leaves out of a refresh, and remembers the metadata that it sees.
type traffic struct {
	reach    reach
	resource func(asked string) string // what to name; "" for nothing

	mu       sync.Mutex
	metadata []oauthex.AuthServerMeta

	discovery *discovery // nil for a refresh
}

// client is an HTTP client for the SDK. It follows no redirect of what carries a code, a token or a secret.
func (t *traffic) client() *http.Client {
	return &http.Client{
		Transport: t,
		Timeout:   requestTime,
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if via[0].Method != http.MethodGet || len(via) >= 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// RoundTrip sends a request. One for anything but the MCP server's metadata is refused if that was rejected.
func (t *traffic) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.discovery == nil {
		return t.send(req)
	}
	address := askedFirst(req).String()
	if want, ok := t.discovery.wants[address]; ok {
		resp, err := t.send(req)
		return t.discovery.check(req, address, want, resp, err)
	}
	if err := t.discovery.refusal(); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	return t.send(req)
}

// send sends a request.
func (t *traffic) send(req *http.Request) (*http.Response, error) {
	refuse := func(err error) (*http.Response, error) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	if req.URL.Scheme != "https" && (req.URL.Scheme != "http" || t.reach == public) {
		return refuse(fmt.Errorf("the sign-in leads to %.20s://%.100s, want https", req.URL.Scheme, req.URL.Host))
	}
	proxy, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return refuse(err)
	}
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTime, DisableKeepAlives: true}
	if proxy == nil {
		transport.DialContext = dialer(t.reach).DialContext
	} else if transport.Proxy = http.ProxyURL(proxy); reachOfHost(req.URL.Hostname()) > t.reach {
		return refuse(errReach{req.URL.Host})
	}
	if req, err = t.withResource(req); err != nil {
		return refuse(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := t.note(req, resp); err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	return resp, nil
}

// withResource is a request for a token with the resource in its form; another request is itself.
func (t *traffic) withResource(req *http.Request) (*http.Request, error) {
	kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if req.Method != http.MethodPost || kind != "application/x-www-form-urlencoded" || req.Body == nil {
		return req, nil
	}
	text, err := io.ReadAll(io.LimitReader(req.Body, maxAnswer))
	if err = errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, errors.New("a request for a token whose form cannot be read") // the error quotes it
	}
	if form.Has("grant_type") {
		asked := form.Get("resource")
		form.Del("resource")
		if resource := t.resource(asked); resource != "" {
			form.Set("resource", resource)
		}
	}
	body := form.Encode()
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	out.GetBody = nil
	out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return out, nil
}

// note remembers the metadata of an authorization server that an answer has.
func (t *traffic) note(req *http.Request, resp *http.Response) error {
	p := path.Clean(askedFirst(req).Path)
	if req.Method != http.MethodGet || resp.StatusCode != http.StatusOK ||
		!strings.Contains(p, "/.well-known/oauth-authorization-server") &&
			!strings.Contains(p, "/.well-known/openid-configuration") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	var m oauthex.AuthServerMeta
	if json.Unmarshal(text, &m) == nil {
		if methods := m.CodeChallengeMethodsSupported; len(methods) > 0 && !slices.Contains(methods, "S256") {
			return fmt.Errorf("the authorization server offers the PKCE methods %.80q, want S256", methods)
		}
		t.mu.Lock()
		t.metadata = append(t.metadata, m)
		t.mu.Unlock()
	}
	return nil
}

// hasMetadata reports whether an authorization server has any.
func (t *traffic) hasMetadata() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.metadata) > 0
}

// issuer is the metadata of the authorization server that has a token endpoint. Without metadata, as before
// revision 2025-06-18, the issuer is the endpoint's origin.
func (t *traffic) issuer(tokenURL string) oauthex.AuthServerMeta {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.metadata {
		if m.TokenEndpoint == tokenURL {
			return m
		}
	}
	u, err := url.Parse(tokenURL)
	if err != nil {
		return oauthex.AuthServerMeta{}
	}
	return oauthex.AuthServerMeta{Issuer: u.Scheme + "://" + u.Host}
}
