// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/revision"
)

// The limits of what clients may make a server hold.
const (
	sessionTimeout = time.Hour
	maxBody        = 16 << 20
	minToken       = 16
)

// listen serves streamable HTTP until ctx is over.
func (o *options) listen(ctx context.Context, server *mcp.Server, stderr io.Writer) error {
	l, err := net.Listen("tcp", o.http)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	if err := o.checkToken(l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	pages, err := o.pages(o.authorized(allRevisions(server)))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", pages)
	s := cli.Server(mux)
	fmt.Fprintf(stderr, "serving MCP at http://%s/mcp (Ctrl-C ends it)\n", l.Addr())

	closed := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		for session := range server.Sessions() { // their streams would keep Shutdown waiting
			_ = session.Close()
		}
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		closed <- errors.Join(s.Shutdown(closing), s.Close())
	})
	err = s.Serve(l)
	if stop() { // it ended by itself
		return err
	}
	if err := <-closed; err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// allRevisions serves those with sessions and those without, which the SDK has a handler
// each for. By the latter each request names its revision in a header.
func allRevisions(server *mcp.Server) http.Handler {
	get := func(*http.Request) *mcp.Server { return server }
	sessions := mcp.NewStreamableHTTPHandler(
		get, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxBody},
	)
	stateless := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: maxBody})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		declared := revision.ParseLater(r.Header.Get("Mcp-Protocol-Version"))
		if !declared.HasSessions() && r.Header.Get("Mcp-Session-Id") == "" {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// checkToken refuses to listen without a token where other machines could connect, or where clients could run code.
func (o *options) checkToken(addr net.Addr) error {
	if n := len(o.token); n > 0 && n < minToken {
		return fmt.Errorf("token: got %d bytes, want %d or more", n, minToken)
	}
	if o.token != "" {
		return nil
	}
	if o.servers != "" {
		return errors.New("--http: got --mcp-config without a token, so that every user of this machine could use your servers: " +
			"want $TOOLSCOPE_TOKEN or --token-file")
	}
	if o.RunsCode() {
		return errors.New("--http: got commands or Python programs without a token, which every user of this machine could run: " +
			"want $TOOLSCOPE_TOKEN or --token-file")
	}
	if at, err := netip.ParseAddrPort(addr.String()); err == nil && at.Addr().Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("--http: got %s, which other machines reach, and no token: want $TOOLSCOPE_TOKEN or --token-file, "+
		"or a loopback address", addr)
}

// pages refuses requests of pages in a browser, but for those of --allowed-origin.
func (o *options) pages(next http.Handler) (http.Handler, error) {
	protection := http.NewCrossOriginProtection()
	for _, origin := range o.origins {
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("--allowed-origin: got %.100q, want an origin such as https://tools.example", origin)
		}
	}
	next = protection.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); slices.Contains(o.origins, origin) {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "+
					"Mcp-Protocol-Version, Mcp-Session-Id")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	}), nil
}

// authorized asks for the token, if there is one.
func (o *options) authorized(next http.Handler) http.Handler {
	if o.token == "" {
		return next
	}
	want := sha256.Sum256([]byte(o.token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "got no token or a wrong one, want the server's as a bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
