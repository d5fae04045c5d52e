// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The defaults of [Options].
const (
	defaultUserAgent    = "toolscope/1 (+https://github.com/toolscope/toolscope)"
	defaultTimeout      = 30 * time.Second
	defaultMaxBytes     = 4 << 20
	defaultMaxText      = 64 << 10
	defaultMaxRedirects = 5
	defaultHostDelay    = time.Second
)

// maxCrawl is how many pages one web_crawl reads at most.
const maxCrawl = 10

// Options say how the tools work. The zero value works.
type Options struct {
	// AllowAddrs are addresses that may be connected to although they are not
	// public, such as an intranet's or a test server's. None by default. A prefix lets
	// every service in it be asked, whatever its port.
	AllowAddrs []netip.Prefix
	// AllowDowngrade takes a redirect from https to http, which is refused by default.
	AllowDowngrade bool
	// Proxy is an HTTP proxy that all requests go through; nil is none. The
	// environment is never asked. Names are then resolved by the proxy, so it is
	// the proxy that must keep requests away from inner addresses; here only
	// addresses written into a URL can be refused.
	Proxy *url.URL
	// Robots says that a page is read only where its host's robots.txt allows it
	// (RFC 9309); false does not ask.
	Robots bool
	// UserAgent is sent with each request; "" is "toolscope/1" with the project's address. The letters it begins
	// with are the name that robots.txt is searched for.
	UserAgent string
	// Timeout is the longest that one page may take, its redirects and robots.txt
	// included; 0 is 30 seconds. A crawl as a whole may take four times as long.
	Timeout time.Duration
	// MaxBytes is how much of a page is read, unpacked; 0 is 4 MiB.
	MaxBytes int
	// MaxText is how many bytes of text an answer has at most; 0 is 64 KiB.
	MaxText int
	// MaxRedirects is how many redirects of one page are followed; 0 is
	// 5, below 0 is none.
	MaxRedirects int
	// HostDelay is the time from the end of one request to a host to the next to
	// the same host, of all calls; 0 is one second, below 0 is none.
	HostDelay time.Duration
	// Search answers web_search; nil leaves that tool out.
	Search Searcher
}

// A Toolset is the tools. It is safe for concurrent use.
type Toolset struct {
	options   Options
	agent     string // the product name in UserAgent, in lower case
	guard     *guard
	dialer    *net.Dialer
	transport *http.Transport
	gate      gate
	rules     rulesCache
}

// New makes the tools. It checks the options and does not connect.
func New(o Options) (*Toolset, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.AllowAddrs = slices.Clone(o.AllowAddrs)
	for i, p := range o.AllowAddrs {
		if !p.IsValid() {
			return nil, fmt.Errorf("web: Options.AllowAddrs[%d]: got no prefix, want one such as 10.1.2.0/24", i)
		}
		if p.Addr().Is4In6() {
			return nil, fmt.Errorf("web: Options.AllowAddrs[%d]: got %v, want the IPv4 prefix itself", i, p)
		}
	}
	setDefault(&o.UserAgent, defaultUserAgent)
	setDefault(&o.Timeout, defaultTimeout)
	setDefault(&o.MaxBytes, defaultMaxBytes)
	setDefault(&o.MaxText, defaultMaxText)
	setDefault(&o.MaxRedirects, defaultMaxRedirects)
	setDefault(&o.HostDelay, defaultHostDelay)
	agent := product(o.UserAgent)
	if agent == "" {
		return nil, fmt.Errorf("web: Options.UserAgent: got %.80q, want text without control characters that "+
			"begins with a name in letters", o.UserAgent)
	}
	t := &Toolset{options: o, agent: agent, guard: &guard{allow: o.AllowAddrs, own: net.InterfaceAddrs}}
	t.gate.delay = max(0, o.HostDelay)
	t.transport = t.newTransport()
	return t, nil
}

func (o *Options) check() error {
	for _, n := range []struct {
		field string
		value int64
	}{{"Timeout", int64(o.Timeout)}, {"MaxBytes", int64(o.MaxBytes)}, {"MaxText", int64(o.MaxText)}} {
		if n.value < 0 {
			return fmt.Errorf("web: Options.%s: got %d, want a value above 0, or 0 for the default", n.field, n.value)
		}
	}
	if p := o.Proxy; p != nil && (p.Scheme != "http" && p.Scheme != "https" || p.Host == "") {
		return errors.New("web: Options.Proxy: got a URL of another form, want http://host:port or https://host:port")
	}
	return nil
}

func setDefault[T comparable](v *T, standard T) {
	var zero T
	if *v == zero {
		*v = standard
	}
}

// product is the name at the beginning of a user agent, as robots.txt names it:
// letters, "-" and "_"; "" if there is none or the text is no header's.
func product(agent string) string {
	for _, r := range agent {
		if r < ' ' || r == 0x7f {
			return ""
		}
	}
	end := strings.IndexFunc(agent, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	if end < 0 {
		end = len(agent)
	}
	return strings.ToLower(agent[:end])
}

// Close closes idle connections, those to the search service of [NewSearXNG] or [NewBrave] included. The
// tools still work afterwards.
func (t *Toolset) Close() {
	t.transport.CloseIdleConnections()
	if search, ok := t.options.Search.(interface{ CloseIdleConnections() }); ok {
		search.CloseIdleConnections()
	}
}
