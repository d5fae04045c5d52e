// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

// serveHTTP is a server over HTTP, which prints its address.
func serveHTTP() int {
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	big := encoded(10 << 20)
	return listenAndTell(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/big" || r.URL.Path == "/chunks" {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/big" {
				w.Header().Set("Content-Length", strconv.Itoa(len(big)))
			}
			_, _ = w.Write(big)
			return
		}
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
	debug.SetGCPercent(400) // as the command does
	target, err := url.Parse(address)
	if err != nil {
		return 1
	}
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		return 1
	}
	w, err := mcpproxy.New(scope, mcpproxy.Options{})
	if err != nil {
		return 1
	}
	return tell(func(l net.Listener) error { return w.Serve(context.Background(), l, target) })
}

// tappedHTTP is the standard library's proxy of the server at an address, with a copy of each body for one goroutine that
// drops it: what a proxy that looks at bodies takes at least.
func tappedHTTP(address string) int {
	debug.SetGCPercent(400)
	target, err := url.Parse(address)
	if err != nil {
		return 1
	}
	copies := make(chan []byte, 1024)
	go func() {
		for range copies {
			continue
		}
	}()
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = func(resp *http.Response) error {
		resp.Body = &tapped{resp.Body, copies}
		return nil
	}
	return listenAndTell(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// An answer that comes before the transport has seen the end of the body, which the server
		// closes then, would be cut off.
		body, _ := io.ReadAll(r.Body)
		r.Body = &tapped{io.NopCloser(bytes.NewReader(body)), copies}
		proxy.ServeHTTP(w, r)
	}))
}

// tapped is a body whose bytes are copied.
type tapped struct {
	io.ReadCloser
	copies chan<- []byte
}

func (t *tapped) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	if n > 0 {
		select {
		case t.copies <- bytes.Clone(b[:n]):
		default:
		}
	}
	return n, err
}

func listenAndTell(h http.Handler) int {
	return tell(func(l net.Listener) error { return http.Serve(l, h) })
}

func tell(serve func(l net.Listener) error) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	fmt.Printf("http://%s\n", l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark is over
		os.Exit(0)
	}()
	_ = serve(l)
	return 1
}

// start starts a program of the test binary that tells its address.
func start(b *testing.B, program ...string) string {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self, program[1:]...)
	cmd.Env = append(os.Environ(), programEnv+"="+program[0])
	return address(b, cmd)
}

// address starts a command, and returns the address that it tells.
func address(b *testing.B, cmd *exec.Cmd) string {
	b.Helper()
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
	resp, err := c.Post(
		address,
		"application/json",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}`),
	)
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

// ways are the addresses of a server, of the standard library's proxy before it, which copies each body, and of
// this package's, with their names.
func ways(b *testing.B) (names, addresses []string) {
	server := start(b, "http")
	return []string{
			"direct",
			"ReverseProxy",
			"proxied",
		}, []string{
			server,
			start(b, "tappedhttp", server),
			start(b, "proxyhttp", server),
		}
}

// BenchmarkHTTP is a call over HTTP, in turn direct, through the standard library's proxy and through this
// package's: answered at once, by a stream, of which the first byte counts, and with 10 MiB, of a length that
// the head says or in chunks. The goal is 15 % more than the standard library's at most.
func BenchmarkHTTP(b *testing.B) {
	names, addresses := ways(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	for _, path := range []string{"/mcp", "/stream", "/big", "/chunks"} {
		b.Run(path[1:], func(b *testing.B) {
			took := make([][]time.Duration, len(addresses))
			for range 20 {
				for _, address := range addresses {
					post(b, client, address+path)
				}
			}
			for b.Loop() {
				for i, address := range addresses {
					first, all := post(b, client, address+path)
					if path != "/stream" {
						first = all
					}
					took[i] = append(took[i], first)
				}
			}
			b.ReportMetric(0, "ns/op")
			for i, name := range names {
				b.ReportMetric(float64(median(took[i]).Nanoseconds())/1000, name+"-µs")
			}
			b.ReportMetric(100*median(took[2]).Seconds()/median(took[1]).Seconds(), "%-of-ReverseProxy")
		})
	}
}
