// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// defaultResults is how many results a search gives by default.
const defaultResults = 5

const (
	maxResults = 20
	maxQuery   = 400 // bytes
)

// A Query is what a [Searcher] is asked.
type Query struct {
	Text  string
	Count int // 1 to 20
	// Language is a code of two letters, or "" for any.
	Language string
}

// A Hit is one result of a search. Texts may hold HTML, which is removed.
type Hit struct {
	Title, URL, Snippet string
	// Published is when, as the service says it; "" if it does not.
	Published string
}

// A Searcher searches the web. It must be safe for concurrent use and stop when
// the context ends. More hits than were asked for are cut off.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

type searchInput struct {
	Query    string `json:"query"`
	Count    *int   `json:"count"`
	Language string `json:"language"`
}

func (t *Toolset) search(ctx context.Context, in searchInput) (string, error) {
	count, err := arg.Number("count", in.Count, defaultResults, 1, maxResults)
	q := Query{Text: strings.TrimSpace(in.Query), Count: count, Language: in.Language}
	switch {
	case err != nil:
		return "", err
	case q.Text == "" || len(q.Text) > maxQuery:
		return "", arg.Invalid("query", fmt.Sprintf("%d bytes", len(q.Text)), fmt.Sprintf("1 to %d", maxQuery))
	case q.Language != "" && (len(q.Language) != 2 || strings.Trim(q.Language, "abcdefghijklmnopqrstuvwxyz") != ""):
		return "", arg.Invalid("language", fmt.Sprintf("%.20q", q.Language), "two letters such as en")
	}
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	hits, err := t.options.Search.Search(limited, q)
	if err != nil {
		return "", err
	}
	return tellHits(hits, q.Count), nil
}

// tellHits numbers the hits that lead somewhere.
func tellHits(hits []Hit, count int) string {
	var b strings.Builder
	n := 0
	for _, h := range hits {
		u, err := url.Parse(strings.TrimSpace(h.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || len(h.URL) > maxURL {
			continue
		}
		if n++; n > count {
			break
		}
		fmt.Fprintf(&b, "%d. %s\n   %s\n", n, clip(bare(h.Title), 200), u)
		if h.Published != "" {
			fmt.Fprintf(&b, "   %s\n", clip(bare(h.Published), 60))
		}
		if s := bare(h.Snippet); s != "" {
			fmt.Fprintf(&b, "   %s\n", clip(s, 500))
		}
	}
	if n == 0 {
		return "no results"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// bare is text without HTML, on one line.
func bare(s string) string {
	if len(s) > 16<<10 {
		s = s[:boundary(s, 16<<10)]
	}
	var b strings.Builder
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(strings.ToValidUTF8(b.String(), "\ufffd")), " ")
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}
