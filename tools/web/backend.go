// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscope/toolscope/tools/internal/arg"
	"github.com/toolscope/toolscope/tools/internal/service"
)

const (
	backendTime = 15 * time.Second // for one search
	maxBackend  = 2 << 20          // bytes of a search service's answer
)

// braveURL is where Brave's search service listens.
const braveURL = "https://api.search.brave.com"

// A backend is a search service over HTTP, a [Searcher]. The host chooses its address, so
// the guard does not apply to it: a service on an inner address works. Redirects are
// refused, proxies of the environment are not asked.
type backend struct {
	client  *http.Client
	request func(context.Context, Query) (*http.Request, error)
	parse   func([]byte) ([]Hit, error)
	// clean removes the key from text. The key is known to this closure and the one above
	// only, so that no way of printing a backend shows it.
	clean func(string) string
}

var _ Searcher = (*backend)(nil)

// NewSearXNG makes a [Searcher] of a SearXNG server, whose settings must allow the format json. The application
// chooses its address, so the guard does not apply to it: a service on an inner address works.
func NewSearXNG(baseURL string) (Searcher, error) {
	base, err := backendURL("NewSearXNG", baseURL)
	if err != nil {
		return nil, err
	}
	request := func(ctx context.Context, q Query) (*http.Request, error) {
		values := url.Values{"q": {q.Text}, "format": {"json"}}
		if q.Language != "" {
			values.Set("language", q.Language)
		}
		return newSearch(ctx, base, "search", values)
	}
	return newBackend(request, parseSearXNG, func(s string) string { return s }), nil
}

// NewBrave makes a [Searcher] of Brave's search service, or of one that answers alike.
// baseURL "" is Brave's own, https://api.search.brave.com. The key goes into a header, and never into an error or an answer.
func NewBrave(baseURL, key string) (Searcher, error) {
	setDefault(&baseURL, braveURL)
	base, err := backendURL("NewBrave", baseURL)
	if err != nil {
		return nil, err
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("web: NewBrave: key: got an empty one or one with blanks, want the service's key")
	}
	request := func(ctx context.Context, q Query) (*http.Request, error) {
		values := url.Values{"q": {q.Text}, "count": {fmt.Sprint(q.Count)}}
		if q.Language != "" {
			values.Set("search_lang", q.Language)
		}
		req, err := newSearch(ctx, base, "res/v1/web/search", values)
		if err == nil {
			req.Header.Set("X-Subscription-Token", key)
		}
		return req, err
	}
	return newBackend(request, parseBrave, func(s string) string { return strings.ReplaceAll(s, key, "[key]") }), nil
}

func backendURL(function, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("web: %s: baseURL: got text of another form, want http://host or https://host", function)
	}
	return u, nil
}

func newBackend(request func(context.Context, Query) (*http.Request, error), parse func([]byte) ([]Hit, error),
	clean func(string) string) *backend {
	return &backend{
		client: &http.Client{
			Timeout: backendTime,
			Transport: &http.Transport{MaxResponseHeaderBytes: maxHeader, IdleConnTimeout: 30 * time.Second,
				ForceAttemptHTTP2: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		request: request, parse: parse, clean: clean,
	}
}

func newSearch(ctx context.Context, base *url.URL, path string, values url.Values) (*http.Request, error) {
	u := base.JoinPath(path)
	u.RawQuery = values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, arg.Failed("the search service cannot be asked")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", defaultUserAgent)
	return req, nil
}

// CloseIdleConnections is called by [Toolset.Close].
func (b *backend) CloseIdleConnections() { b.client.CloseIdleConnections() }

// Search asks the service. Its errors tell the status and not what the service wrote.
func (b *backend) Search(ctx context.Context, q Query) ([]Hit, error) {
	req, err := b.request(ctx, q)
	if err != nil {
		return nil, err
	}
	body, err := service.Ask(b.client, req, "the search service", maxBackend)
	if err != nil {
		return nil, err
	}
	hits, err := b.parse(body)
	if err != nil {
		return nil, service.Malformed("the search service")
	}
	for i, h := range hits {
		hits[i] = Hit{b.clean(h.Title), b.clean(h.URL), b.clean(h.Snippet), b.clean(h.Published)}
	}
	return hits, nil
}

func parseSearXNG(body []byte) ([]Hit, error) {
	var answer struct {
		Results []struct {
			Title, URL, Content string
			PublishedDate       string
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	hits := make([]Hit, len(answer.Results))
	for i, r := range answer.Results {
		hits[i] = Hit{r.Title, r.URL, r.Content, r.PublishedDate}
	}
	return hits, nil
}

func parseBrave(body []byte) ([]Hit, error) {
	var answer struct {
		Web struct {
			Results []struct {
				Title, URL, Description string
				PageAge                 string `json:"page_age"`
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	hits := make([]Hit, len(answer.Web.Results))
	for i, r := range answer.Web.Results {
		hits[i] = Hit{r.Title, r.URL, r.Description, r.PageAge}
	}
	return hits, nil
}
