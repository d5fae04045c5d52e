// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
	"github.com/toolscope/toolscope/tools/internal/service"
)

const (
	connectTime = 10 * time.Second // to connect, and to agree on TLS
	maxHeader   = 64 << 10         // bytes of an answer's header
	maxURL      = 8 << 10          // bytes of a URL
)

// newTransport makes a transport that connects where the guard lets it, keeps no
// cookies, sends no credentials and unpacks gzip while it is read.
func (t *Toolset) newTransport() *http.Transport {
	t.dialer = &net.Dialer{Timeout: connectTime, Control: t.guard.control}
	tr := &http.Transport{
		DialContext:            t.dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTime,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           16,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        30 * time.Second,
	}
	if t.options.Proxy != nil {
		// The application chooses the proxy; all connections use it.
		t.dialer.Control = nil
		tr.Proxy = http.ProxyURL(t.options.Proxy)
	}
	return tr
}

// target reads a URL that a caller asks for, and refuses what may not be asked.
func (t *Toolset) target(field, text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, arg.Invalid(field, "text that is no URL", "one such as https://example.com/page")
	}
	return u, t.checkTarget(field, u)
}

func (t *Toolset) checkTarget(field string, u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return arg.Invalid(field, fmt.Sprintf("scheme %.20q", u.Scheme), "http or https")
	case u.Hostname() == "" || u.Opaque != "":
		return arg.Invalid(field, "a URL without a host", "one such as https://example.com/page")
	case u.User != nil:
		return arg.Invalid(field, "a URL with a user name or password", "one without")
	case len(u.String()) > maxURL:
		return arg.Invalid(field, fmt.Sprintf("a URL of %d bytes", len(u.String())), fmt.Sprintf("at most %d", maxURL))
	}
	// An address is refused before anything is sent; a name when it is resolved.
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		if kind := t.guard.refused(a); kind != "" {
			return refusal(fmt.Sprintf("%s: %.100q", field, u.Hostname()), "is "+kind)
		}
	}
	return nil
}

// get asks for a URL and follows redirects, each of which is checked like the
// first. check, unless it is nil, may refuse a hop. The answer's body is the
// caller's to close.
func (t *Toolset) get(ctx context.Context, u *url.URL, check func(context.Context, *url.URL) error) (*http.Response, error) {
	for hops := 0; ; hops++ {
		if check != nil {
			if err := check(ctx, u); err != nil {
				return nil, err
			}
		}
		res, err := t.ask(ctx, u)
		if err != nil {
			return nil, err
		}
		next, err := t.redirect(res, hops)
		if next == nil && err == nil {
			return res, nil
		}
		res.Body.Close()
		if err != nil {
			return nil, err
		}
		u = next
	}
}

// ask sends one request.
func (t *Toolset) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, arg.Invalid("url", "text that is no URL", "one such as https://example.com/page")
	}
	req.Header.Set("User-Agent", t.options.UserAgent)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, application/json, text/*;q=0.9, application/xml;q=0.9, */*;q=0.1")
	res, err := t.transport.RoundTrip(req)
	if err != nil {
		return nil, t.explain(ctx, u, err)
	}
	return res, nil
}

// redirect gives where an answer points to; nil if it is no redirect.
func (t *Toolset) redirect(res *http.Response, hops int) (*url.URL, error) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	next, err := res.Location()
	if errors.Is(err, http.ErrNoLocation) {
		return nil, nil
	}
	if err != nil {
		return nil, arg.Failed("the page redirects to text that is no URL")
	}
	if hops >= max(0, t.options.MaxRedirects) {
		return nil, arg.Failed(fmt.Sprintf("the page redirects more often than %d times", max(0, t.options.MaxRedirects)))
	}
	if res.Request.URL.Scheme == "https" && next.Scheme == "http" && !t.options.AllowDowngrade {
		return nil, refusal("a redirect", "leads from https to http")
	}
	next.Fragment, next.RawFragment = "", ""
	return next, t.checkTarget("redirect", next)
}

// explain gives an error of the network its kind and a text without addresses.
func (t *Toolset) explain(ctx context.Context, u *url.URL, err error) error {
	if own := asRefusal(err); own != nil {
		return own
	}
	var lookup *net.DNSError
	host := fmt.Sprintf("%.100q", u.Hostname())
	text := "the request to " + host + " failed"
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "the caller cancelled the call", Cause: err}
	case errors.Is(err, context.DeadlineExceeded), service.IsTimeout(err):
		return &toolkit.Error{Kind: toolkit.ErrTimeout, Message: host + " did not answer in time", Cause: err}
	case errors.As(err, &lookup):
		text = "the host " + host + " was not found"
	case strings.Contains(err.Error(), "server response headers exceeded"):
		text = fmt.Sprintf("the answer's header has more than %d bytes", maxHeader)
	case strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "x509: "):
		text = "the certificate or TLS of " + host + " is not accepted"
	}
	return &toolkit.Error{Kind: toolkit.ErrTool, Message: text, Cause: err}
}

// sameKind is a failure with another text that keeps an error's kind.
func sameKind(err error, text string) error {
	kind := toolkit.ErrTool
	var own *toolkit.Error
	if errors.As(err, &own) {
		kind = own.Kind
	}
	return &toolkit.Error{Kind: kind, Message: text, Cause: err}
}
