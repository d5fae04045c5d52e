// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

// page is one page as it was read.
type page struct {
	url     *url.URL // where it was in the end
	asked   string   // where it was looked for
	media   string   // its media type, without parameters
	text    string   // in UTF-8
	partial bool     // more than MaxBytes were there
}

// read reads one page, in its host's turn.
func (t *Toolset) read(ctx context.Context, u *url.URL) (*page, error) {
	limited, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	leave, err := t.gate.enter(limited, u.Host)
	if err != nil {
		return nil, t.explain(limited, u, err)
	}
	defer leave()
	var check func(context.Context, *url.URL) error
	if t.options.Robots {
		check = t.checkRobots
	}
	res, err := t.get(limited, u, check)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, arg.Failed(fmt.Sprintf("%.300q answered %d %s", res.Request.URL.Redacted(), res.StatusCode,
			http.StatusText(res.StatusCode)))
	}
	if c := res.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") {
		return nil, arg.Failed(fmt.Sprintf("the page is packed as %.40q, which was not asked for", c))
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(t.options.MaxBytes)+1))
	if err != nil {
		return nil, t.explain(limited, res.Request.URL, err)
	}
	p := &page{url: res.Request.URL, asked: u.String()}
	if len(body) > t.options.MaxBytes {
		body, p.partial = body[:t.options.MaxBytes], true
	}
	return p, p.decode(body, res.Header.Get("Content-Type"))
}

// decode makes text of a body, whatever it is written in.
func (p *page) decode(body []byte, contentType string) error {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		media, _, _ = strings.Cut(contentType, ";")
	}
	p.media = strings.ToLower(strings.TrimSpace(media))
	if !isText(p.media) {
		return arg.Failed(fmt.Sprintf("the page is of type %.80q, want text, HTML, JSON or XML", p.media))
	}
	if strings.HasSuffix(p.media, "json") && bytes.IndexByte(body, 0) < 0 {
		// JSON is UTF-8 whatever the header says (RFC 8259 section 8.1).
		p.text = strings.ToValidUTF8(strings.TrimPrefix(string(body), "\ufeff"), "\ufffd")
		return nil
	}
	encoding, _, _ := charset.DetermineEncoding(body[:min(len(body), 1024)], contentType)
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return arg.Failed("the page's text cannot be decoded")
	}
	p.text = strings.ToValidUTF8(strings.TrimPrefix(string(decoded), "\ufeff"), "\ufffd")
	if strings.IndexByte(p.text, 0) >= 0 {
		return arg.Failed(fmt.Sprintf("the page says it is of type %.80q and is binary, want text", p.media))
	}
	return nil
}

func isText(media string) bool {
	switch media {
	case "application/json", "application/xml", "application/xhtml+xml", "application/javascript",
		"application/x-ndjson", "application/yaml", "application/toml":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") ||
		strings.HasSuffix(media, "+xml") && !strings.HasPrefix(media, "image/")
}

func (p *page) isHTML() bool {
	return p.media == "text/html" || p.media == "application/xhtml+xml"
}

// parse reads the page as HTML. The parser gives up on elements that are nested deeper
// than 512, so all that walks its result is bounded.
func (p *page) parse() (*html.Node, error) {
	if !p.isHTML() {
		return nil, arg.Invalid("format", fmt.Sprintf("one for HTML, but the page is of type %.80q", p.media), "text")
	}
	doc, err := html.Parse(strings.NewReader(p.text))
	if err != nil {
		return nil, arg.Failed("the page's HTML cannot be read: " + err.Error())
	}
	return doc, nil
}
