// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func TestGuardAddresses(t *testing.T) {
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
		"127.0.0.1", "127.255.255.254",
		"168.63.129.16", "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
		"192.88.99.1",
		"192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255",
		"240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe",
		"64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:0:7f00:1::", "2001:10::1", "2001:db8::1", "2002:7f00:1::1",
		"2002:808:808::1", "3fff::1", "5f00::1",
		"fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
	} {
		if web.RefusedKind(netip.MustParseAddr(a)) == "" {
			t.Errorf("%s: got allowed, want refused", a)
		}
	}
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
		"128.0.0.1", "168.63.129.17", "169.253.255.255",
		"172.15.255.255", "172.32.0.1", "191.255.255.255", "192.0.1.1", "192.167.255.255", "198.17.255.255",
		"198.20.0.1", "223.255.255.255",
		"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450:4001::1",
	} {
		if kind := web.RefusedKind(netip.MustParseAddr(a)); kind != "" {
			t.Errorf("%s: got refused as %s, want allowed", a, kind)
		}
	}
	if web.RefusedKind(netip.Addr{}) == "" {
		t.Error("no address: got allowed")
	}
	inner := netip.MustParsePrefix("10.1.0.0/16")
	for a, allowed := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "64:ff9b::10.1.2.3": true,
		"10.2.0.1": false, "fd00::1": false} {
		if got := web.RefusedKind(netip.MustParseAddr(a), inner) == ""; got != allowed {
			t.Errorf("%s with %v allowed: got %v, want %v", a, inner, got, allowed)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, a := range []string{"127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2001:4860::1"} {
		b := netip.MustParseAddr(a).As16()
		f.Add(b[:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		if web.RefusedKind(a) != web.RefusedKind(a.Unmap()) {
			t.Errorf("%v and %v are judged differently", a, a.Unmap())
		}
		if web.RefusedKind(a) == "" &&
			(!a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast()) {
			t.Errorf("%v: got allowed", a)
		}
	})
}

// TestRefusedTargets asks for what must not be asked, in many spellings, while a server
// listens where they lead.
func TestRefusedTargets(t *testing.T) {
	var asked atomic.Int32
	s := start(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	tools := toolset(t, web.Options{AllowAddrs: []netip.Prefix{}})
	for _, test := range []struct {
		url  string
		kind toolkit.Kind
	}{
		{s.URL, toolkit.ErrPermissionDenied},
		{"http://localhost" + port, toolkit.ErrPermissionDenied},
		{"http://[::1]" + port, toolkit.ErrPermissionDenied},
		{"http://[::ffff:127.0.0.1]" + port, toolkit.ErrPermissionDenied},
		{"http://[::ffff:7f00:1]" + port, toolkit.ErrPermissionDenied},
		{"http://[64:ff9b::7f00:1]" + port, toolkit.ErrPermissionDenied},
		{"http://[2002:7f00:1::]" + port, toolkit.ErrPermissionDenied},
		{"http://0.0.0.0" + port, toolkit.ErrPermissionDenied},
		{"http://[::]" + port, toolkit.ErrPermissionDenied},
		{"http://169.254.169.254/latest/meta-data/", toolkit.ErrPermissionDenied},
		{"http://[fd00:ec2::254]/latest/meta-data/", toolkit.ErrPermissionDenied},
		{"http://[fe80::1%25lo]" + port, toolkit.ErrPermissionDenied},
		{"http://2130706433" + port, ""}, // resolvers differ in what these are
		{"http://0x7f000001" + port, ""},
		{"http://0177.0.0.1" + port, ""},
		{"http://127.1" + port, ""},
		{"http://127.0.0.1." + port, ""},
		{"http://user:pw@example.com/", toolkit.ErrInvalidArguments},
		{"http://example.com@127.0.0.1" + port, toolkit.ErrInvalidArguments},
		{"ftp://example.com/", toolkit.ErrInvalidArguments},
		{"file:///etc/passwd", toolkit.ErrInvalidArguments},
		{"gopher://127.0.0.1" + port, toolkit.ErrInvalidArguments},
		{"javascript:alert(1)", toolkit.ErrInvalidArguments},
		{"data:text/html,x", toolkit.ErrInvalidArguments},
		{"http:/no-host", toolkit.ErrInvalidArguments},
		{"http://", toolkit.ErrInvalidArguments},
		{"http://:80/", toolkit.ErrInvalidArguments},
		{"//example.com/", toolkit.ErrInvalidArguments},
		{"example.com", toolkit.ErrInvalidArguments},
		{"", toolkit.ErrInvalidArguments},
		{"http://exa mple.com/", toolkit.ErrInvalidArguments},
		{"http://example.com/\x00", toolkit.ErrInvalidArguments},
		{"http://example.com:99999999/", ""},
		{"http://example.com/" + strings.Repeat("a", 9000), toolkit.ErrInvalidArguments},
	} {
		res := fetch(t, tools, test.url)
		if res.Fault == nil || test.kind != "" && !errors.Is(res.Fault, test.kind) {
			t.Errorf("%.80s: got %s, want %s", test.url, res.Output, test.kind)
		}
		if strings.Contains(test.url, "localhost") && strings.Contains(res.Output, "127.0.0.1") {
			t.Errorf("%s: the answer tells the address: %s", test.url, res.Output)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

// TestOwnAddress checks that a public address of this machine is refused as well.
func TestOwnAddress(t *testing.T) {
	tools := toolset(t, web.Options{AllowAddrs: []netip.Prefix{}})
	tools.Own(&net.IPNet{IP: net.ParseIP("8.8.8.8"), Mask: net.CIDRMask(24, 32)})
	res := fetch(t, tools, "http://8.8.8.8:9/")
	if !errors.Is(res.Fault, toolkit.ErrPermissionDenied) || !strings.Contains(res.Output, "this machine") {
		t.Errorf("got %s, want it refused", res.Output)
	}
}

// TestRebinding has a name server that answers with an allowed address first and with
// another one after that.
func TestRebinding(t *testing.T) {
	var asked atomic.Int32
	s := start(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "<p>hello</p>")
	})
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	answers := []string{"127.0.0.1", "127.0.0.2", "169.254.169.254", "10.0.0.1"}
	var next atomic.Int32
	tools := toolset(t, web.Options{})
	tools.UseResolver(names(t, func(string) netip.Addr {
		return netip.MustParseAddr(answers[min(int(next.Add(1))-1, len(answers)-1)])
	}))
	if res := fetch(t, tools, "http://rebind.example"+port); res.Fault != nil || !strings.Contains(res.Output, "hello") {
		t.Fatalf("got %s, want the page", res.Output)
	}
	for range 3 {
		if res := fetch(t, tools, "http://rebind.example"+port); !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
			t.Errorf("got %s, want it refused", res.Output)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the server was asked %d times, want once", asked.Load())
	}
}

// names is a resolver that asks a name server of the test's: every name has one IPv4 address.
func names(t *testing.T, address func(name string) netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: address(q.Name.String()).As4()},
				}}
			}
			if answer, err := m.Pack(); err == nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestRedirects(t *testing.T) {
	var inner atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("127.0.0.2 is no address here: %v", err)
	}
	secret := &httptest.Server{Listener: l,
		Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) })}}
	secret.Start()
	t.Cleanup(secret.Close)
	var to atomic.Value
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/end":
			fmt.Fprint(w, "<title>End</title>")
		case strings.HasPrefix(r.URL.Path, "/count/"):
			n := len(r.URL.Path) - len("/count/")
			if n == 0 {
				http.Redirect(w, r, "/end", http.StatusFound)
				return
			}
			http.Redirect(w, r, r.URL.Path[:len(r.URL.Path)-1], http.StatusTemporaryRedirect)
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
		default:
			w.Header().Set("Location", to.Load().(string))
			w.WriteHeader(http.StatusMovedPermanently)
		}
	})
	tools := toolset(t, web.Options{})
	for _, test := range []struct {
		name, to string
		kind     toolkit.Kind
	}{
		{"another address of this machine", secret.URL, toolkit.ErrPermissionDenied},
		{"metadata", "http://169.254.169.254/", toolkit.ErrPermissionDenied},
		{"mapped", "http://[::ffff:169.254.169.254]/", toolkit.ErrPermissionDenied},
		{"a file", "file:///etc/passwd", toolkit.ErrInvalidArguments},
		{"a password", "http://a:b@127.0.0.1/", toolkit.ErrInvalidArguments},
		{"no URL", "http://[", toolkit.ErrTool},
		{"itself for ever", "/", toolkit.ErrTool},
		{"too often", "/count/xxxxx", toolkit.ErrTool},
	} {
		to.Store(test.to)
		if res := fetch(t, tools, s.URL); !errors.Is(res.Fault, test.kind) {
			t.Errorf("%s: got %s, want %s", test.name, res.Output, test.kind)
		}
	}
	if inner.Load() != 0 {
		t.Error("a redirect reached an address that is not allowed")
	}
	res := fetch(t, tools, s.URL+"/count/xxxx")
	if res.Fault != nil || !strings.Contains(res.Output, "URL: "+s.URL+"/end\n") ||
		!strings.Contains(res.Output, "Redirected from: "+s.URL+"/count/xxxx\n") {
		t.Errorf("5 redirects: got %s, want the page", res.Output)
	}
	if res := fetch(t, toolset(t, web.Options{MaxRedirects: -1}), s.URL+"/count/"); !errors.Is(res.Fault, toolkit.ErrTool) {
		t.Errorf("no redirects: got %s, want a failure", res.Output)
	}
	if res := fetch(t, tools, s.URL+"/nowhere"); !errors.Is(res.Fault, toolkit.ErrTool) || !strings.Contains(res.Output, "302") {
		t.Errorf("no location: got %s, want the status", res.Output)
	}
}

func TestDowngrade(t *testing.T) {
	plain := serve(t, "text/plain", "plain text")
	s := httptest.NewTLSServer(http.RedirectHandler(plain, http.StatusFound))
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	for _, allowed := range []bool{false, true} {
		tools := toolset(t, web.Options{AllowDowngrade: allowed})
		tools.Trust(pool)
		res := fetch(t, tools, s.URL)
		if allowed && (res.Fault != nil || !strings.Contains(res.Output, "plain text")) ||
			!allowed && !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
			t.Errorf("allowed %v: got %s", allowed, res.Output)
		}
	}
	if res := fetch(t, toolset(t, web.Options{}), s.URL); !errors.Is(res.Fault, toolkit.ErrTool) ||
		!strings.Contains(res.Output, "certificate") {
		t.Errorf("unknown certificate: got %s, want a failure that names it", res.Output)
	}
}

// TestProxy checks that proxies come from the options and from nowhere else.
func TestProxy(t *testing.T) {
	var asked atomic.Value
	proxy := start(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.String())
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "through the proxy")
	})
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	page := serve(t, "text/plain", "direct")
	tools := toolset(t, web.Options{})
	tools.UseResolver(names(t, func(string) netip.Addr { return netip.MustParseAddr("127.0.0.1") }))
	if res := fetch(t, tools, strings.Replace(page, "127.0.0.1", "page.example", 1)); !strings.Contains(res.Output, "direct") {
		t.Errorf("got %s, want no proxy", res.Output)
	}
	through := toolset(t, web.Options{AllowAddrs: []netip.Prefix{}, Proxy: mustParse(t, proxy.URL)})
	if res := fetch(t, through, "http://page.example/x"); !strings.Contains(res.Output, "through the proxy") ||
		asked.Load() != "http://page.example/x" {
		t.Errorf("got %s by %v, want it through the proxy", res.Output, asked.Load())
	}
	if res := fetch(t, through, "http://169.254.169.254/"); !errors.Is(res.Fault, toolkit.ErrPermissionDenied) {
		t.Errorf("got %s, want an address refused even with a proxy", res.Output)
	}
}
