// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/oauthtest"
)

// A person opens pages as a browser does, and remembers what was said.
type person struct {
	mu   sync.Mutex
	said strings.Builder
	away bool
}

func (p *person) open(page string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return errors.New("no browser")
	}
	go func() {
		if resp, err := http.Get(page); err == nil {
			_ = resp.Body.Close()
		}
	}()
	return nil
}

func (p *person) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(&p.said, format+"\n", args...)
}

func (p *person) heard() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// protected is a server that answers each message with what it got.
func protected(t *testing.T) *oauthtest.Server {
	return oauthtest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Authorization"); len(got) != 1 {
			t.Errorf("got Authorization %q", got)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, r.Body)
	}))
}

// signing makes a client of a server.
func signing(
	t *testing.T,
	s *oauthtest.Server,
	dir string,
	change ...func(*Options),
) (http.RoundTripper, *Client, *person) {
	t.Helper()
	target, err := url.Parse(s.Resource)
	if err != nil {
		t.Fatal(err)
	}
	p := new(person)
	o := Options{Target: target, Say: p.say, Open: p.open, Dir: dir, Wait: 20 * time.Second}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.Transport(http.DefaultTransport), c, p
}

// call sends a call of a tool and returns the status and the body of the answer.
func call(t *testing.T, over http.RoundTripper, s *oauthtest.Server, tool string) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q}}`, tool)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Resource, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer of-the-client")
	resp, err := over.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("got the server's challenge %q", resp.Header.Get("WWW-Authenticate"))
	}
	if resp.StatusCode == http.StatusOK && string(text) != body {
		t.Errorf("got %s, want %s", text, body)
	}
	return resp.StatusCode, string(text)
}

func wantCounts(t *testing.T, s *oauthtest.Server, want map[string]int) {
	t.Helper()
	for what, n := range want {
		if got := s.Count(what); got != n {
			t.Errorf("%s: got %d, want %d", what, got, n)
		}
	}
}

// age has the credentials of a directory be older by a time.
func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want one file", files, err)
	}
	c, _, err := open(files[0], func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	c.Expires, c.Renewed = c.Expires.Add(-by), c.Renewed.Add(-by)
	if err := write(files[0], c); err != nil {
		t.Fatal(err)
	}
}

func TestLifeOfASignIn(t *testing.T) {
	s, dir := protected(t), filepath.Join(t.TempDir(), "oauth")
	over, _, p := signing(t, s, dir)
	var all sync.WaitGroup
	for range 8 { // at once: one sign-in
		all.Go(func() {
			if status, text := call(t, over, s, "read"); status != http.StatusOK {
				t.Errorf("got %d %s", status, text)
			}
		})
	}
	all.Wait()
	wantCounts(t, s, map[string]int{"authorize": 1, "code": 1, "refresh": 0})

	s.ExpireAccess() // a token that the server ended early is refreshed
	if status, text := call(t, over, s, "read"); status != http.StatusOK {
		t.Errorf("got %d %s", status, text)
	}
	wantCounts(t, s, map[string]int{"authorize": 1, "refresh": 1})

	refused := s.Count("401") + 1
	s.SetLife(time.Minute) // a new process has the token; the new one lives for a minute
	s.ExpireAccess()
	over, _, p2 := signing(t, s, dir)
	call(t, over, s, "read")
	wantCounts(t, s, map[string]int{"401": refused, "refresh": 2})

	age(t, dir, 40*time.Second) // of the minute a third is left
	over, _, p3 := signing(t, s, dir)
	call(t, over, s, "read")
	wantCounts(t, s, map[string]int{"401": refused, "refresh": 2})

	s.SetLife(time.Hour)
	age(t, dir, 10*time.Second) // less than a quarter is left: it is refreshed before it is over
	over, client, p4 := signing(t, s, dir)
	call(t, over, s, "read")
	call(t, over, s, "read")
	wantCounts(t, s, map[string]int{"401": refused, "refresh": 3, "authorize": 1})

	if status, _ := call(t, over, s, "admin_reset"); status != http.StatusOK { // step-up
		t.Errorf("got %d", status)
	}
	call(t, over, s, "read")
	wantCounts(t, s, map[string]int{"authorize": 2, "403": 1})

	s.RevokeAll() // the person signs in again, with the scopes as before
	if status, _ := call(t, over, s, "admin_reset"); status != http.StatusOK {
		t.Errorf("got %d", status)
	}
	wantCounts(t, s, map[string]int{"authorize": 3, "403": 1})

	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for the user alone", info.Mode(), err)
	}
	had, err := List(dir, p.say)
	if err != nil || len(had) != 1 || had[0].Issuer != s.URL || had[0].Resource != s.Resource {
		t.Errorf("got %+v, %v", had, err)
	}
	if was, err := client.SignOut(t.Context()); !was || err != nil {
		t.Errorf("got %v, %v", was, err)
	}
	wantCounts(t, s, map[string]int{"revoke": 1})
	if was, err := client.SignOut(t.Context()); was || err != nil {
		t.Errorf("twice: got %v, %v", was, err)
	}
	for _, secret := range s.Secrets() {
		if strings.Contains(p.heard()+p2.heard()+p3.heard()+p4.heard(), secret) {
			t.Errorf("%.10s… was said", secret)
		}
	}
}

func TestScopesThatAreNotGranted(t *testing.T) {
	s := protected(t)
	over, _, _ := signing(t, s, filepath.Join(t.TempDir(), "oauth"), func(o *Options) { o.Scopes = []string{"tools"} })
	if status, text := call(t, over, s, "read"); status != http.StatusOK {
		t.Fatalf("got %d %s", status, text)
	}
	s.Deny(true) // no consent to more
	if status, text := call(t, over, s, "never_granted"); status != http.StatusBadGateway ||
		!strings.Contains(text, "access_denied") ||
		!strings.Contains(text, `"id":7`) {
		t.Errorf("got %d %s", status, text)
	}
	pages := s.Count("authorize")
	for range 5 {
		if status, text := call(t, over, s, "never_granted"); status != http.StatusForbidden {
			t.Errorf("got %d %s", status, text)
		}
	}
	if status, _ := call(t, over, s, "read"); status != http.StatusOK {
		t.Error("what was granted is gone")
	}
	if got := s.Count("authorize"); got != pages {
		t.Errorf("got %d pages, want no more than %d", got, pages)
	}
}

func TestSignInsThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*oauthtest.Server)
		option func(*Options)
		want   string
	}{
		"denied":           {change: func(s *oauthtest.Server) { s.Deny(true) }, want: "access_denied refused"},
		"mixed up":         {change: func(s *oauthtest.Server) { s.WrongISS(true) }, want: "does not match expected issuer"},
		"without resource": {option: func(o *Options) { o.NoResource = true }, want: "invalid_target"},
		"another resource": {option: func(o *Options) { o.Resource = "https://other.example/mcp" }, want: "invalid_target"},
		"unknown client":   {option: func(o *Options) { o.ClientID = "unknown"; o.Wait = time.Second }, want: "time limit"},
		"no person": {option: func(o *Options) {
			o.Open = func(string) error { return errors.New("none") }
			o.Wait = time.Second
		}, want: "time limit"},
		"a page of no browser": {change: page("javascript:alert(1)"), want: "scheme"},
		"metadata of a cloud":  {change: endpoint("token_endpoint", "http://169.254.169.254/token"), want: ""},
		"another resource in metadata": {change: func(s *oauthtest.Server) {
			s.ChangeResource(func(m map[string]any) { m["resource"] = "https://other.example/mcp" })
		}, want: "was rejected: got metadata resource"},
		"only plain PKCE": {change: func(s *oauthtest.Server) {
			s.ChangeMetadata(func(m map[string]any) { m["code_challenge_methods_supported"] = []string{"plain"} })
		}, want: "want S256"},
		"another issuer": {change: endpoint("issuer", "https://other.example"), want: "issuer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := protected(t)
			if tt.change != nil {
				tt.change(s)
			}
			over, _, p := signing(t, s, filepath.Join(t.TempDir(), "oauth"), func(o *Options) {
				if tt.option != nil {
					tt.option(o)
				}
			})
			status, text := call(t, over, s, "read")
			if status != http.StatusBadGateway || !strings.Contains(text, tt.want) ||
				!strings.Contains(text, `"id":7`) {
				t.Errorf("got %d %s, want %q", status, text, tt.want)
			}
			pages := s.Count("authorize")
			if status, _ := call(t, over, s, "read"); status != http.StatusBadGateway || s.Count("authorize") != pages {
				t.Errorf("got %d and %d pages, want no more than %d", status, s.Count("authorize"), pages)
			}
			for _, secret := range s.Secrets() {
				if strings.Contains(p.heard()+text, secret) {
					t.Errorf("%.10s… was said", secret)
				}
			}
			if strings.Contains(p.heard(), "\ntoolscope mcp: forged") || strings.Contains(p.heard()+text, "\x1b") {
				t.Errorf("the server's text forged a line: %q", p.heard())
			}
			if got := s.Count("calls"); got != 0 {
				t.Errorf("got %d calls", got)
			}
		})
	}
}

func page(address string) func(*oauthtest.Server) { return endpoint("authorization_endpoint", address) }

func endpoint(name, address string) func(*oauthtest.Server) {
	return func(s *oauthtest.Server) { s.ChangeMetadata(func(m map[string]any) { m[name] = address }) }
}

// What a public server's metadata names must not lead into private networks.
func TestPrivateAddressesAreRefused(t *testing.T) {
	inside := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came inside") }),
	)
	defer inside.Close()
	s := protected(t)
	_, c, _ := signing(t, s, filepath.Join(t.TempDir(), "oauth"))
	for _, most := range []reach{public, private} {
		challenge := challenge{http.StatusUnauthorized, http.Header{
			"Www-Authenticate": {`Bearer resource_metadata="` + inside.URL + `/.well-known/oauth-protected-resource"`},
		}, most}
		if made, err := c.signIn(t.Context(), challenge, nil); err == nil {
			t.Errorf("reach %d: got %+v", most, made)
		}
	}
	for address, want := range map[string]reach{
		"8.8.8.8": public, "2606:4700::1111": public, "10.1.2.3": private, "192.168.1.1": private, "172.16.0.1": private,
		"fd00::1": private, "100.64.0.1": private, "127.0.0.1": here, "::1": here, "::ffff:127.0.0.1": here,
		"169.254.169.254": never, "fe80::1": never, "0.0.0.0": never, "::": never, "224.0.0.1": never,
		"64:ff9b::7f00:1": private,
	} {
		if got := reachOf(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %d, want %d", address, got, want)
		}
	}
	for address, ok := range map[string]bool{
		"https://localhost/authorize": false, "https://10.0.0.1/authorize": false, "http://8.8.8.8/": false,
		"https://user@8.8.8.8/": false, "file:///etc/passwd": false, "https://8.8.8.8/authorize": true,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPage(t.Context(), u, public); (err == nil) != ok {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if _, err := New(Options{Target: &url.URL{Scheme: "http", Host: "mcp.example.com"},
		Dir: filepath.Join(t.TempDir(), "oauth")}); err == nil {
		t.Error("a public server without TLS gets tokens")
	}
}

func TestWhatIsNotTheServers(t *testing.T) {
	s := protected(t)
	over, c, _ := signing(t, s, filepath.Join(t.TempDir(), "oauth"))
	call(t, over, s, "read")
	for address, want := range map[string]int{
		"/.well-known/oauth-protected-resource/mcp": http.StatusNotFound,
		"/x/../.well-known/openid-configuration":    http.StatusNotFound,
		"/other":                                    http.StatusNotFound, // of the server itself, without the token
	} {
		u := strings.TrimSuffix(s.Resource, "/mcp") + address
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := over.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", address, resp.StatusCode, want)
		}
		if kind := resp.Header.Get("Content-Type"); strings.Contains(address, "well-known") &&
			kind != "application/json" {
			t.Errorf("%s: got %s", address, kind)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("another server got %q", got)
		}
	}))
	defer other.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, other.URL+"/mcp", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := over.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if _, err := os.Stat(c.path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.path, []byte(`{"target":"https://evil.example/mcp","access_token":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text := call(t, over, s, "read"); status != http.StatusBadGateway ||
		!strings.Contains(text, "another server") {
		t.Errorf("got %d %s", status, text)
	}
}

// Only the path that the operator named gets the token: servers read others differently.
func TestPathsWithoutTheToken(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	target, err := url.Parse(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Target: target, Dir: filepath.Join(t.TempDir(), "oauth"), Say: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := write(c.path, &Credentials{Target: target.String(), AccessToken: "x"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/mcp": "Bearer x", "/mcp?a=b": "Bearer x", "//mcp": "", "/mcp/..;/x": "", "/mcp/": "", "/mcp/x": "",
		"/x/../mcp": "", "/mcp;x": "",
		"/%6dcp": "", "/mcp%2f..%2fx": "", "/mcp/../x": "", "/./mcp": "", "/MCP": "", `/mcp\x`: "", "/": "",
	} {
		got = nil
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Transport(http.DefaultTransport).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// A document that does not count is reported, and the next one is used.
func TestMetadataThatIsIgnored(t *testing.T) {
	s := protected(t)
	target, err := url.Parse(s.Resource)
	if err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{
		"http://203.0.113.1/meta": "want an https address", strings.TrimSuffix(s.Resource, "/mcp") + "/none": "answered 404",
		"https://10.0.0.1/meta\x1b[31m": "is ignored",
	} {
		p := new(person)
		c, err := New(Options{Target: target, Say: p.say, Open: p.open, Dir: filepath.Join(t.TempDir(), "oauth"),
			Wait: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		made, err := c.signIn(t.Context(), challenge{http.StatusUnauthorized, http.Header{
			"Www-Authenticate": {`Bearer resource_metadata="` + named + `"`},
		}, here}, nil)
		if err != nil || made.AccessToken == "" {
			t.Errorf("%s: got %v", named, err)
		}
		if got := p.heard(); strings.Count(got, "is ignored") != 1 || !strings.Contains(got, want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: got %q, want one line with %q", named, got, want)
		}
	}
}

// A file that cannot be read stops no other server, and a sign-in replaces it.
func TestCorruptFiles(t *testing.T) {
	s, dir := protected(t), filepath.Join(t.TempDir(), "oauth")
	over, c, p := signing(t, s, dir)
	call(t, over, s, "read")
	bad := filepath.Join(dir, strings.Repeat("0", 32)+".json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if had, err := List(dir, p.say); len(had) != 1 || !errors.Is(err, errCorrupt) || !strings.Contains(err.Error(), bad) {
		t.Errorf("got %+v, %v", had, err)
	}
	if err := os.WriteFile(c.path, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	over, c, p = signing(t, s, dir)
	if status, text := call(t, over, s, "read"); status != http.StatusOK || !strings.Contains(p.heard(), "replaces it") {
		t.Errorf("got %d %s, and said %q", status, text, p.heard())
	}
	if err := os.WriteFile(c.path, []byte(""), 0o600); err != nil {
		t.Fatal(err)
	}
	if was, err := c.SignOut(t.Context()); !was || err == nil || !strings.Contains(err.Error(), "not revoked") {
		t.Errorf("got %v, %v", was, err)
	}
	if was, err := c.SignOut(t.Context()); was || err != nil {
		t.Errorf("got %v, %v", was, err)
	}
}

// A request that is given up does not end the sign-in that it began.
func TestRequestsThatAreGivenUp(t *testing.T) {
	s := protected(t)
	page := make(chan string, 1)
	over, _, _ := signing(
		t,
		s,
		filepath.Join(t.TempDir(), "oauth"),
		func(o *Options) { o.Open = func(p string) error { page <- p; return nil } },
	)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Resource, strings.NewReader("{}"))
		if err == nil {
			_, err = over.RoundTrip(req) //nolint:bodyclose // there is none
		}
		done <- err
	}()
	address := <-page
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if status, _ := call(t, over, s, "read"); status != http.StatusOK || s.Count("authorize") != 1 {
		t.Errorf("got %d and %d pages", status, s.Count("authorize"))
	}
}

func TestNotice(t *testing.T) {
	s, p := protected(t), new(person)
	over := Notice(http.DefaultTransport, p.say)
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Resource, bytes.NewReader(nil))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := over.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("got %d %v, want the answer as it is", resp.StatusCode, resp.Header)
		}
	}
	if got := p.heard(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "--oauth") ||
		!strings.Contains(got, "resource_metadata") {
		t.Errorf("got %q", got)
	}
}

func TestAnswersOfTheProxy(t *testing.T) {
	for body, id := range map[string]string{
		`{"id":"a"}`: `"a"`, `{"id":5}`: `5`, `{}`: `null`, `[]`: `null`, ``: `null`, `{"id":{"a":1}}`: `null`, "\xff": `null`,
	} {
		resp := answer(nil, http.StatusBadGateway, []byte(body), `a "reason"`)
		var m struct {
			ID    json.RawMessage
			Error struct{ Message string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || string(m.ID) != id ||
			m.Error.Message != `toolscope: a "reason"` {
			t.Errorf("%q: got %s %+v, %v", body, m.ID, m, err)
		}
	}
}
