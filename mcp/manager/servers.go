// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Config is what a configuration file says.
type Config struct {
	// Servers are in the order of the file.
	Servers []Server
	// Unknown are the unknown fields, as "mcpServers.files.autoApprove";
	// they have no effect.
	Unknown []string
}

// A Server says how to reach one MCP server. One of Command, URL and Transport is set.
type Server struct {
	// Name is 1 to 64 printable characters without blanks at its ends; no two servers
	// have the same.
	Name string

	// Command is a program that speaks MCP on its standard input and output, by path or
	// as found in PATH; Args are its arguments, Dir its directory ("" is this
	// process's). Env is added to its environment, which otherwise has HOME, LANG, LC_ALL,
	// LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ and USER of this process's, and of what
	// Windows needs; InheritEnv gives it all of this process's, secrets included.
	// Sandbox keeps the process within walls; nil is none.
	Command    string
	Args       []string
	Env        map[string]string
	InheritEnv bool
	Dir        string
	Sandbox    *Sandbox

	// URL is an http or https endpoint. SSE says that it speaks the transport of revision
	// 2024-11-05; the default is streamable HTTP. Headers are sent with each request to
	// the endpoint's own origin; others, redirects included, are refused. OAuth
	// authorizes requests by the SDK's support; streamable HTTP only. HTTPClient sends
	// them; nil is one with the defaults of net/http and no timeout.
	URL        string
	SSE        bool
	Headers    map[string]string
	OAuth      auth.OAuthHandler
	HTTPClient *http.Client

	// Transport makes the application's own transport for each connection: WebSocket, say,
	// or one in memory. Its Connect must heed its context. Calls that fail on it count
	// as sent.
	Transport func(ctx context.Context) (mcp.Transport, error)

	// Disabled servers are known and never started.
	Disabled bool
	// Priority orders servers that have the same tool, the highest first.
	Priority int
	// Category is that of tools that have none.
	Category string
	// ProtocolVersion is the revision to propose; "" lets the SDK find out.
	ProtocolVersion string
	// StartTimeout and RequestTimeout are this server's own; 0 is the manager's.
	StartTimeout, RequestTimeout time.Duration
}

// kind is how the server is reached: the value of [Status].Transport.
func (s *Server) kind() string {
	switch {
	case s.Transport != nil:
		return "custom"
	case s.Command != "":
		return "stdio"
	case s.SSE:
		return "sse"
	}
	return "http"
}

// ownHeaders are those that the transport sets.
var ownHeaders = []string{"Accept", "Content-Length", "Content-Type", "Host", "Last-Event-Id", "Mcp-Protocol-Version",
	"Mcp-Session-Id", "Transfer-Encoding"}

// check returns an error that names the first field that is wrong; of a disabled server only
// the name counts.
func (s *Server) check() error {
	bad := func(field, got, want string) error {
		return fmt.Errorf("manager: server %.80q: %s: got %s, want %s", s.Name, field, got, want)
	}
	if !goodName(s.Name) {
		return bad("Name", fmt.Sprintf("%.80q", s.Name), "1 to 64 printable characters without blanks at the ends")
	}
	if s.Disabled {
		return nil
	}
	ways := 0
	for _, set := range []bool{s.Command != "", s.URL != "", s.Transport != nil} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return bad("Command, URL, Transport", fmt.Sprintf("%d of them", ways), "one")
	}
	if s.Command == "" && (len(s.Args) > 0 || len(s.Env) > 0 || s.Dir != "" || s.InheritEnv || s.Sandbox != nil) {
		return bad("Args, Env, InheritEnv, Dir, Sandbox", "some without a Command", "none")
	}
	if s.Sandbox != nil {
		if err := s.Sandbox.check(); err != nil {
			return fmt.Errorf("manager: server %.80q: %w", s.Name, err)
		}
	}
	if s.URL == "" && (len(s.Headers) > 0 || s.OAuth != nil || s.SSE || s.HTTPClient != nil) {
		return bad("SSE, Headers, OAuth, HTTPClient", "some without a URL", "none")
	}
	for name, value := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			return bad("Env", fmt.Sprintf("the variable %.80q", name), `a name without "=", and no NUL`)
		}
	}
	if s.StartTimeout < 0 || s.RequestTimeout < 0 {
		return bad("StartTimeout, RequestTimeout", "one below 0", "0 or above")
	}
	if s.ProtocolVersion != "" && !slices.Contains(mcp.SupportedProtocolVersions(), s.ProtocolVersion) {
		return bad("ProtocolVersion", fmt.Sprintf("%.80q", s.ProtocolVersion),
			fmt.Sprintf("one of %q", mcp.SupportedProtocolVersions()))
	}
	if s.URL != "" {
		return s.checkHTTP(bad)
	}
	return nil
}

func (s *Server) checkHTTP(bad func(field, got, want string) error) error {
	// The URL is not repeated: it may hold a token.
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Host == "":
		return bad("URL", "text that is none", "http://HOST… or https://HOST…")
	case u.Scheme == "ws" || u.Scheme == "wss":
		return bad("URL", "a WebSocket's",
			"http or https: WebSocket is no transport of the protocol; give a Transport of your own")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("URL", fmt.Sprintf("the scheme %.20q", u.Scheme), "http or https")
	}
	for name, value := range s.Headers {
		switch {
		case !isToken(name) || strings.ContainsAny(value, "\r\n\x00"):
			return bad("Headers", fmt.Sprintf("the header %.80q", name), "a name and a value as HTTP has them")
		case slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)):
			return bad("Headers", fmt.Sprintf("the header %q", name), "one that the transport does not set itself")
		case s.OAuth != nil && http.CanonicalHeaderKey(name) == "Authorization":
			return bad("Headers", "Authorization beside OAuth", "one of them")
		}
	}
	if s.OAuth != nil && s.SSE {
		return bad("OAuth", "one for SSE", "streamable HTTP: the SDK has none for SSE")
	}
	return nil
}

// isToken reports whether a header's name is one (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func goodName(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 64 && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
