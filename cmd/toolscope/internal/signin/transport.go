// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"path"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Transport sends requests over base with the server's token, for clients that have none.
func (c *Client) Transport(base http.RoundTripper) http.RoundTripper {
	return &transport{c: c, base: base}
}

type transport struct {
	c     *Client
	base  http.RoundTripper
	reach atomic.Uint32 // of the server's last connection
}

// maxBody is how long a request may be, in bytes: it is kept until the server has taken its token.
const maxBody = 16 << 20

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	switch p := path.Clean("/" + req.URL.Path); {
	case len(body) > maxBody:
		return answer(
			req,
			http.StatusRequestEntityTooLarge,
			nil,
			fmt.Sprintf("a message of more than %d bytes: want less", maxBody),
		), nil
	case strings.HasPrefix(p, "/.well-known/") || p == "/.well-known":
		return notFound(req), nil
	case !t.c.covers(req):
		resp, err := t.send(req, body, "")
		return concealed(resp), err
	}
	return t.authorized(req, body)
}

// covers reports whether a request is for the MCP server: the token is not for others on the same host. Servers read
// paths such as //mcp and /mcp/..;/x differently, so only the path that the operator named gets it.
func (c *Client) covers(req *http.Request) bool {
	return req.URL.Scheme == c.o.Target.Scheme && strings.EqualFold(req.URL.Host, c.o.Target.Host) &&
		cmp.Or(req.URL.EscapedPath(), "/") == cmp.Or(c.o.Target.EscapedPath(), "/")
}

// authorized sends a request with a token, which it renews at most once in each way.
func (t *transport) authorized(req *http.Request, body []byte) (*http.Response, error) {
	ctx := req.Context()
	refreshed, signedIn, steppedUp := false, false, false
	for {
		token, err := t.c.token(ctx)
		if err != nil {
			return refusal(req, body, err)
		}
		resp, err := t.send(req, body, token)
		if err != nil {
			return nil, err
		}
		asked := challenge{resp.StatusCode, resp.Header, reach(t.reach.Load())}
		scopes, more := moreScopes(resp)
		switch {
		case resp.StatusCode == http.StatusUnauthorized && token != "" && !refreshed && t.c.canRefresh():
			refreshed = true
			err = t.c.renew(ctx, token, t.c.refreshed)
		case resp.StatusCode == http.StatusUnauthorized && !signedIn:
			signedIn = true
			err = t.c.renew(ctx, token, t.c.signedIn(asked))
		case resp.StatusCode == http.StatusUnauthorized:
			err = errors.New("the server does not accept the token of a new sign-in")
		case more && !steppedUp:
			steppedUp = true
			err = t.c.renew(ctx, token, t.c.steppedUp(asked, scopes))
		default:
			return concealed(resp), nil
		}
		if errors.Is(err, errNotGranted) {
			return concealed(resp), nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
		_ = resp.Body.Close()
		if err != nil {
			return refusal(req, body, err)
		}
	}
}

// canRefresh reports whether there is a refresh token.
func (c *Client) canRefresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	had, err := c.current()
	return err == nil && had != nil && had.RefreshToken != ""
}

// send sends a request with a token, or with none. The client's own is not the server's.
func (t *transport) send(req *http.Request, body []byte, token string) (*http.Response, error) {
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		t.reach.Store(uint32(reachOfConn(req, i.Conn)))
	}})
	out := req.Clone(ctx)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header.Del("Authorization")
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	out.Body, out.GetBody = http.NoBody, nil
	if out.ContentLength = int64(len(body)); len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	resp, err := t.base.RoundTrip(out)
	return masked(resp, token), err
}

// reachOfConn is the reach of the server at the end of a connection; behind a proxy that of its name.
func reachOfConn(req *http.Request, conn net.Conn) reach {
	if proxy, err := http.ProxyFromEnvironment(req); err != nil || proxy != nil {
		return reachOfHost(req.URL.Hostname())
	}
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return public
	}
	return reachOf(at.Addr())
}

// readBody reads a request's body, one byte more than it may have at most.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	return body, errors.Join(err, req.Body.Close())
}

// moreScopes reports whether an answer asks for more scopes, and for which.
func moreScopes(resp *http.Response) (scopes []string, more bool) {
	if resp.StatusCode != http.StatusForbidden {
		return nil, false
	}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil, false
	}
	for _, c := range challenges {
		if strings.EqualFold(c.Scheme, "bearer") && c.Params["error"] == "insufficient_scope" {
			return strings.Fields(c.Params["scope"]), true
		}
	}
	return nil, false
}

// concealed is an answer without what would have a client sign in by itself.
func concealed(resp *http.Response) *http.Response {
	if resp == nil {
		return nil
	}
	resp.Header.Del("WWW-Authenticate")
	if resp.StatusCode != http.StatusUnauthorized {
		return resp
	}
	_ = resp.Body.Close()
	return answer(resp.Request, http.StatusBadGateway, nil, "the server wants a sign-in of its own at this address")
}

// refused is why a request was not sent with a token.
type refused struct{ err error }

func (r *refused) Error() string { return r.err.Error() }

// refusedBody is the body of an answer with its cause.
type refusedBody struct {
	io.Reader
	cause *refused
}

func (refusedBody) Close() error { return nil }

// resultOf is why an answer is toolscope's own; nil if it is the server's.
func resultOf(resp *http.Response) error {
	if b, ok := resp.Body.(refusedBody); ok {
		return b.cause
	}
	return nil
}

// refusal answers for a server that could not be signed in to; the error of a request that was given up is its own.
func refusal(req *http.Request, body []byte, err error) (*http.Response, error) {
	if gone := req.Context().Err(); gone != nil {
		return nil, gone
	}
	resp := answer(req, http.StatusBadGateway, body, clean(err.Error()))
	resp.Body = refusedBody{resp.Body, &refused{err}}
	return resp, nil
}

// codeServer is JSON-RPC's code of errors that a server defines itself.
const codeServer = -32000

// answer is an answer of toolscope's: an error of JSON-RPC, to the request that a body has if it can be read.
func answer(req *http.Request, status int, body []byte, text string) *http.Response {
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(body, &asked) != nil || len(asked.ID) == 0 || asked.ID[0] == '{' || asked.ID[0] == '[' {
		asked.ID = json.RawMessage("null")
	}
	out, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": codeServer, "message": "toolscope: " + text},
	})
	if err != nil {
		out = []byte(`{}`)
	}
	return response(req, status, out)
}

// notFound says that there is no metadata: some clients take nothing but JSON for it.
func notFound(req *http.Request) *http.Response {
	return response(req, http.StatusNotFound, []byte(`{"error":"not_found"}`))
}

func response(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf(
			"%d %s",
			status,
			http.StatusText(status),
		), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}},
		Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}
