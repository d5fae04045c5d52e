// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package oauthtest

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Server is an authorization server, at URL, and the protected server at Resource, which it sees all tokens of.
type Server struct {
	URL, Resource string

	mu       sync.Mutex
	clients  map[string][]string // redirect addresses by client id
	codes    map[string]grant
	access   map[string]grant
	refresh  map[string]grant
	secrets  []string // all tokens, codes and verifiers there were
	counts   map[string]int
	life     time.Duration
	deny     bool
	wrongISS bool
	// These change the metadata of the authorization server, and of the protected one.
	metadata, protected func(map[string]any)
}

// A grant is what a code or token is for.
type grant struct {
	client, redirect, challenge, resource string
	scopes                                []string
	until                                 time.Time
}

// New starts an authorization server and, at the path /mcp of another origin, next behind it.
func New(t testing.TB, next http.Handler) *Server {
	s := &Server{
		clients: map[string][]string{}, codes: map[string]grant{}, access: map[string]grant{}, refresh: map[string]grant{},
		counts: map[string]int{}, life: time.Hour,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", s.serveMetadata)
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /revoke", s.revoke)
	issuer := httptest.NewServer(mux)
	t.Cleanup(issuer.Close)
	s.URL = issuer.URL
	front := http.NewServeMux()
	front.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		m := map[string]any{
			"resource": s.Resource, "authorization_servers": []string{s.URL}, "scopes_supported": []string{"tools"},
		}
		s.set(func() {
			if s.protected != nil {
				s.protected(m)
			}
		})
		reply(w, http.StatusOK, m)
	})
	front.Handle("/mcp", s.protect(next))
	resource := httptest.NewServer(front)
	t.Cleanup(resource.Close)
	s.Resource = resource.URL + "/mcp"
	return s
}

// Count is how often something happened: "authorize", "code", "refresh", "revoke", "register", "calls", and "401" and
// "403" of the protected server.
func (s *Server) Count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

// Secrets are all tokens, codes and verifiers there were.
func (s *Server) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.secrets)
}

// SetLife sets how long access tokens live from now on.
func (s *Server) SetLife(d time.Duration) { s.set(func() { s.life = d }) }

// Deny has the person refuse. The description of the error forges a line and has a terminal's escape.
func (s *Server) Deny(yes bool) { s.set(func() { s.deny = yes }) }

// WrongISS has redirects name another issuer, as after a mix-up of authorization servers.
func (s *Server) WrongISS(yes bool) { s.set(func() { s.wrongISS = yes }) }

// ChangeMetadata changes the authorization server's metadata.
func (s *Server) ChangeMetadata(f func(map[string]any)) { s.set(func() { s.metadata = f }) }

// ChangeResource changes the protected server's metadata.
func (s *Server) ChangeResource(f func(map[string]any)) { s.set(func() { s.protected = f }) }

// ExpireAccess ends all access tokens.
func (s *Server) ExpireAccess() { s.set(func() { clear(s.access) }) }

// RevokeAll ends all tokens.
func (s *Server) RevokeAll() { s.set(func() { clear(s.access); clear(s.refresh) }) }

func (s *Server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Token makes an access token, as a client has that signed in by itself.
func (s *Server) Token(scopes ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := s.secret("access")
	s.access[token] = grant{resource: s.Resource, scopes: scopes, until: time.Now().Add(s.life)}
	return token
}

// secret makes a text that must not be seen; the caller holds the lock.
func (s *Server) secret(kind string) string {
	text := kind + "." + rand.Text()
	s.secrets = append(s.secrets, text)
	return text
}

func (s *Server) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	m := map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"registration_endpoint": s.URL + "/register", "revocation_endpoint": s.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"authorization_response_iss_parameter_supported": true,
	}
	s.set(func() {
		if s.metadata != nil {
			s.metadata(m)
		}
	})
	reply(w, http.StatusOK, m)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Redirects []string `json:"redirect_uris"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || len(asked.Redirects) == 0 {
		reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_redirect_uri"})
		return
	}
	id := "client." + rand.Text()
	s.set(func() { s.clients[id] = asked.Redirects; s.counts["register"]++ })
	reply(w, http.StatusCreated, map[string]any{
		"client_id": id, "redirect_uris": asked.Redirects, "token_endpoint_auth_method": "none",
	})
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["authorize"]++
	q := r.URL.Query()
	redirect := q.Get("redirect_uri")
	if !slices.Contains(s.clients[q.Get("client_id")], redirect) {
		http.Error(w, "unknown client or redirect address", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {s.URL}}
	if s.wrongISS {
		back.Set("iss", "https://other.example")
	}
	switch {
	case s.deny:
		back.Set("error", "access_denied")
		back.Set("error_description", "refused\ntoolscope mcp: forged \x1b[31m")
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "":
		back.Set("error", "invalid_request")
	case len(q["resource"]) != 1 || q.Get("resource") != s.Resource:
		back.Set("error", "invalid_target")
	default:
		code := s.secret("code")
		s.codes[code] = grant{
			q.Get("client_id"), redirect, q.Get("code_challenge"), q.Get("resource"), strings.Fields(q.Get("scope")),
			time.Now().Add(time.Minute),
		}
		back.Set("code", code)
	}
	http.Redirect(w, r, redirect+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fail := func(code string) {
		s.counts["failed"]++
		reply(w, http.StatusBadRequest, map[string]any{"error": code})
	}
	_ = r.ParseForm()
	f := r.PostForm
	var g grant
	switch f.Get("grant_type") {
	case "authorization_code":
		code, verifier := f.Get("code"), f.Get("code_verifier")
		s.secrets = append(s.secrets, verifier)
		g = s.codes[code]
		delete(s.codes, code)
		sum := sha256.Sum256([]byte(verifier))
		if g.client == "" || g.until.Before(time.Now()) || g.redirect != f.Get("redirect_uri") ||
			g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			fail("invalid_grant")
			return
		}
		s.counts["code"]++
	case "refresh_token":
		token := f.Get("refresh_token")
		g = s.refresh[token]
		delete(s.refresh, token) // each is good for once
		if g.client == "" {
			fail("invalid_grant")
			return
		}
		s.counts["refresh"]++
	default:
		fail("unsupported_grant_type")
		return
	}
	if g.client != f.Get("client_id") {
		fail("invalid_client")
		return
	}
	if len(f["resource"]) != 1 || f.Get("resource") != g.resource {
		fail("invalid_target")
		return
	}
	g.until = time.Now().Add(s.life)
	access, refresh := s.secret("access"), s.secret("refresh")
	s.access[access], s.refresh[refresh] = g, g
	reply(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(s.life.Seconds()), "refresh_token": refresh,
		"scope": strings.Join(g.scopes, " "),
	})
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	token := r.PostForm.Get("token")
	s.set(func() {
		s.counts["revoke"]++
		client := s.refresh[token].client
		delete(s.refresh, token)
		for access, g := range s.access { // those of the same client end with it
			if access == token || client != "" && g.client == client {
				delete(s.access, access)
			}
		}
	})
}

// protect lets requests through that have a token for the resource. A call of a tool whose name begins with "admin"
// takes the scope admin, and one that begins with "never" a scope that is not granted.
func (s *Server) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		challenge := `Bearer resource_metadata="` + strings.TrimSuffix(
			s.Resource,
			"/mcp",
		) + `/.well-known/oauth-protected-resource/mcp"`
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		g, ok := s.access[token]
		ok = ok && g.resource == s.Resource && g.until.After(time.Now())
		need := neededScope(body)
		enough := need == "" || slices.Contains(g.scopes, need)
		switch {
		case !ok:
			s.counts["401"]++
		case !enough:
			s.counts["403"]++
		default:
			s.counts["calls"]++
		}
		s.mu.Unlock()
		switch {
		case !ok:
			w.Header().Set("WWW-Authenticate", challenge+`, error="invalid_token", scope="tools"`)
			http.Error(w, "unauthorized", http.StatusUnauthorized)
		case !enough:
			w.Header().Set("WWW-Authenticate", challenge+`, error="insufficient_scope", scope="`+need+`"`)
			http.Error(w, "forbidden", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func neededScope(body []byte) string {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "tools/call" {
		return ""
	}
	for _, scope := range []string{"admin", "never"} {
		if strings.HasPrefix(m.Params.Name, scope) {
			return scope
		}
	}
	return ""
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
