// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/approve"
)

const token = "a-token-for-tests-only"

// served is a deferring house with one open request, behind HTTP.
func served(t *testing.T) (*house, approve.Request, *httptest.Server) {
	t.Helper()
	h, ctx := deferring(t)
	handler, err := approve.NewHandler(h.Policy, token)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/scope", handler))
	t.Cleanup(server.Close)
	return h, h.suspended(t, ctx, `{"note":"<script>alert(1)</script>\u001b[31m\u202e"}`), server
}

// ask makes a request with headers given as names and values in turn.
func ask(t *testing.T, method, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Basic" {
			req.SetBasicAuth("ada", headers[i+1])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

func TestProgramsListAndDecide(t *testing.T) {
	h, r, server := served(t)
	bearer := []string{"Authorization", "Bearer " + token, "Content-Type", "application/json"}
	code, body, header := ask(t, "GET", server.URL+"/scope/api/v1/approvals", "", bearer...)
	var list struct {
		Pending []approve.Request
		Decided []approve.Decision
	}
	if err := json.Unmarshal([]byte(body), &list); code != 200 || err != nil || len(list.Pending) != 1 || list.Pending[0].ID != r.ID || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %s", code, body)
	}
	at := server.URL + "/scope/api/v1/approvals/" + r.ID
	for _, c := range []struct {
		name, url, body string
		code            int
	}{
		{"no JSON", at, `approve`, 400},
		{"no answer", at, `{"digest":"` + r.Digest + `"}`, 400},
		{"unknown member", at, `{"approve":true,"digest":"` + r.Digest + `","all":true}`, 400},
		{"two documents", at, `{"approve":true,"digest":"` + r.Digest + `"}{}`, 400},
		{"too long", at, `{"approve":true,"note":"` + strings.Repeat("x", 17<<10) + `"}`, 400},
		{"no digest", at, `{"approve":true}`, 412},
		{"another call's digest", at, `{"approve":true,"digest":"` + strings.Repeat("0", 64) + `"}`, 412},
		{"unknown request", server.URL + "/scope/api/v1/approvals/none", `{"approve":true,"digest":"x"}`, 404},
	} {
		if code, body, _ := ask(t, "POST", c.url, c.body, bearer...); code != c.code || !strings.Contains(body, `"detail"`) {
			t.Errorf("%s: got %d %s, want %d", c.name, code, body, c.code)
		}
	}
	answer := `{"approve":true,"digest":"` + r.Digest + `","by":"ada","note":"fine"}`
	if code, body, _ := ask(t, "POST", at, answer, bearer...); code != 200 {
		t.Fatalf("got %d %s", code, body)
	}
	if code, _, _ := ask(t, "POST", at, answer, bearer...); code != 409 {
		t.Errorf("the second answer: got %d, want 409", code)
	}
	if d := h.Decided(); len(d) != 1 || d[0].By != "ada" || d[0].Note != "fine" || d[0].State != approve.Approved {
		t.Errorf("got %+v", d)
	}
}

// A page of another site, or a program without the token, comes to nothing.
func TestForgeriesAreRefused(t *testing.T) {
	h, r, server := served(t)
	api, page := server.URL+"/scope/api/v1/approvals/"+r.ID, server.URL+"/scope/approvals"
	answer := `{"approve":true,"digest":"` + r.Digest + `"}`
	_, html, _ := ask(t, "GET", page, "", "Basic", token)
	signature := regexp.MustCompile(`name="csrf" value="([0-9a-f]{64})"`).FindStringSubmatch(html)
	if signature == nil {
		t.Fatalf("the page has no form: %s", html)
	}
	form := func(csrf string) string {
		return url.Values{"id": {r.ID}, "digest": {r.Digest}, "csrf": {csrf}, "answer": {"approve"}}.Encode()
	}
	isForm, isJSON, own := "application/x-www-form-urlencoded", "application/json", server.URL
	for _, c := range []struct {
		name, method, url, body string
		headers                 []string
		code                    int
	}{
		{"no token", "GET", page, "", nil, 401},
		{"no token for the list", "GET", server.URL + "/scope/api/v1/approvals", "", nil, 401},
		{"a wrong token", "POST", api, answer, []string{"Authorization", "Bearer " + token + "x", "Content-Type", isJSON}, 401},
		{"an empty token", "POST", api, answer, []string{"Authorization", "Bearer ", "Content-Type", isJSON}, 401},
		{"the token as another scheme", "POST", api, answer, []string{"Authorization", "Digest " + token, "Content-Type", isJSON}, 401},
		{"the token in the URL", "POST", api + "?token=" + token, answer, []string{"Content-Type", isJSON}, 401},
		{"another site's script", "POST", api, answer, []string{"Basic", token, "Content-Type", isJSON, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"another site, an old browser", "POST", api, answer, []string{"Basic", token, "Content-Type", isJSON, "Origin", "https://evil.example"}, 403},
		{"no origin", "POST", api, answer, []string{"Basic", token, "Content-Type", isJSON}, 403},
		{"text as a form may send it", "POST", api, answer, []string{"Basic", token, "Content-Type", "text/plain", "Origin", own}, 415},
		{"another site's form", "POST", page, form(signature[1]), []string{"Basic", token, "Content-Type", isForm, "Origin", "https://evil.example"}, 403},
		{"an opaque origin", "POST", page, form(signature[1]), []string{"Basic", token, "Content-Type", isForm, "Origin", "null"}, 403},
		{"another port's form", "POST", page, form(signature[1]), []string{"Basic", token, "Content-Type", isForm, "Origin", own, "Sec-Fetch-Site", "same-site"}, 403},
		{"no signature", "POST", page, form(""), []string{"Basic", token, "Content-Type", isForm, "Origin", own}, 403},
		{"a wrong signature", "POST", page, form(strings.Repeat("0", 64)), []string{"Basic", token, "Content-Type", isForm, "Origin", own}, 403},
		{"by GET", "GET", api + "?approve=true", "", []string{"Basic", token}, 404},
		{"another method", "PUT", api, answer, []string{"Authorization", "Bearer " + token, "Content-Type", isJSON}, 404},
	} {
		code, body, header := ask(t, c.method, c.url, c.body, c.headers...)
		if code != c.code || strings.Contains(body, r.Digest) && code == 401 {
			t.Errorf("%s: got %d %.200s, want %d", c.name, code, body, c.code)
		}
		if header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: another site may read the answer", c.name)
		}
	}
	if len(h.Decided()) != 0 || len(h.Pending()) != 1 {
		t.Fatalf("a forgery decided: %+v", h.Decided())
	}
	code, _, header := ask(t, "POST", page, form(signature[1]), "Basic", token, "Content-Type", isForm, "Origin", own)
	if code != 303 || header.Get("Location") != "approvals" {
		t.Fatalf("the page's own form: got %d", code)
	}
	if d := h.Decided(); len(d) != 1 || d[0].State != approve.Approved || d[0].By != "ada" {
		t.Errorf("got %+v", d)
	}
	if code, body, _ := ask(t, "POST", page, form(signature[1]), "Basic", token, "Content-Type", isForm, "Origin", own); code != 409 || !strings.Contains(body, "has been answered") {
		t.Errorf("the form sent again: got %d", code)
	}
}

func TestThePageShowsHostileTextHarmless(t *testing.T) {
	_, _, server := served(t)
	_, html, header := ask(t, "GET", server.URL+"/scope/approvals", "", "Basic", token)
	for _, bad := range []string{"<script>", "\x1b", "\u202e"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(html, "&lt;script&gt;") || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("got %s", html)
	}
}

func TestNewHandlerNamesWhatIsWrong(t *testing.T) {
	if _, err := approve.NewHandler(nil, token); err == nil {
		t.Error("a nil policy was taken")
	}
	p, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, short := range []string{"", "123456789012345", "with a blank inside it"} {
		if _, err := approve.NewHandler(p, short); err == nil || !strings.Contains(err.Error(), "want at least 16") {
			t.Errorf("%q: got %v", short, err)
		}
	}
}
