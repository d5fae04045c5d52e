// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// RefusedKind is what the guard says of an address.
func RefusedKind(a netip.Addr, allow ...netip.Prefix) string {
	return (&guard{allow: allow}).refused(a)
}

// UseResolver makes names resolve elsewhere.
func (t *Toolset) UseResolver(r *net.Resolver) { t.dialer.Resolver = r }

// Trust makes TLS accept a test server's certificates.
func (t *Toolset) Trust(pool *x509.CertPool) {
	t.transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// Own makes the guard believe that the machine has other addresses.
func (t *Toolset) Own(list ...net.Addr) {
	t.guard.own = func() ([]net.Addr, error) { return list, nil }
}

// RobotsAllow reads a robots.txt and asks it for a path.
func RobotsAllow(text, agent, path string) bool { return parseRobots(text, agent).allow(path) }

// Gate is the turns at hosts.
type Gate struct{ g gate }

// NewGate makes one with a pause.
func NewGate(delay time.Duration) *Gate { return &Gate{gate{delay: delay}} }

// Enter waits for a turn.
func (g *Gate) Enter(ctx context.Context, host string) (func(), error) { return g.g.enter(ctx, host) }

// Hosts is how many hosts are known.
func (g *Gate) Hosts() int {
	g.g.mu.Lock()
	defer g.g.mu.Unlock()
	return len(g.g.hosts)
}

// Content reads a page in a format.
func Content(text, format string) (string, error) {
	p := &page{url: &url.URL{Scheme: "http", Host: "pears.example", Path: "/"}, media: "text/html", text: text}
	_, content, err := p.content(format)
	return content, err
}

// Formats are all formats.
var Formats = formats

// Broken reads a page that has no address, over which reading its links panics.
func Broken() error {
	_, _, err := (&page{media: "text/html", text: "<a href=x>"}).safeContent("links")
	return err
}
