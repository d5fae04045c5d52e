// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/mcpproxy"
)

// serveHTTP is a server over HTTP, which prints its address.
func serveHTTP() int {
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	return listenAndTell(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(2 * time.Millisecond) // the end comes later
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
}

// proxyHTTP is the proxy of the server at an address.
func proxyHTTP(address string) int {
	target, err := url.Parse(address)
	if err != nil {
		return 1
	}
	scope, err := toolscope.New()
	if err != nil {
		return 1
	}
	w, err := mcpproxy.New(scope, mcpproxy.Options{})
	if err != nil {
		return 1
	}
	return listenAndTell(w.Handler(target))
}

// plainHTTP is the standard library's proxy of the server at an address, which looks at nothing.
func plainHTTP(address string) int {
	target, err := url.Parse(address)
	if err != nil {
		return 1
	}
	return listenAndTell(httputil.NewSingleHostReverseProxy(target))
}

func listenAndTell(h http.Handler) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	fmt.Printf("http://%s\n", l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark is over
		os.Exit(0)
	}()
	_ = http.Serve(l, h)
	return 1
}

// start starts a program that tells its address.
func start(b *testing.B, program ...string) string {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self, program[1:]...)
	cmd.Env = append(os.Environ(), programEnv+"="+program[0])
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// post makes a call; first is how long the first byte of the answer's body took.
func post(b *testing.B, c *http.Client, address string) (first, all time.Duration) {
	began := time.Now()
	resp, err := c.Post(address, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var one [1]byte
	if _, err := io.ReadFull(resp.Body, one[:]); err != nil {
		b.Fatal(err)
	}
	first = time.Since(began)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatalf("%s: %v", address, err)
	}
	return first, time.Since(began)
}

// BenchmarkHTTP is a call over HTTP, by turns direct, by a proxy, and by the standard library's
// proxy: answered at once, and by a stream, of which the first byte counts.
func BenchmarkHTTP(b *testing.B) {
	server := start(b, "http")
	proxy, plain := start(b, "proxyhttp", server), start(b, "plainhttp", server)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	for _, path := range []string{"/mcp", "/stream"} {
		addresses := []string{server, proxy}
		if path == "/mcp" {
			addresses = append(addresses, plain)
		}
		b.Run(path[1:], func(b *testing.B) {
			for range 100 {
				post(b, client, server+path)
				post(b, client, proxy+path)
			}
			var took [3][]time.Duration
			for b.Loop() {
				for i, address := range addresses {
					first, all := post(b, client, address+path)
					if path == "/mcp" {
						first = all
					}
					took[i] = append(took[i], first)
				}
			}
			d, p := median(took[0]), median(took[1])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(d.Nanoseconds())/1000, "direct-µs")
			b.ReportMetric(float64(p.Nanoseconds())/1000, "proxied-µs")
			b.ReportMetric(float64((p-d).Nanoseconds())/1000, "added-µs")
			if len(took[2]) > 0 {
				b.ReportMetric(float64((median(took[2])-d).Nanoseconds())/1000, "added-by-net/http-µs")
			}
		})
	}
}
