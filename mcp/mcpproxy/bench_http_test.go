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

// plainHTTP is the standard library's proxy of the server at an address, which looks at nothing.
func plainHTTP(address string) int {
	target, err := url.Parse(address)
	if err != nil {
		return 1
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	return listenAndTell(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// An answer that comes before the transport has seen the end of the body, which the server
		// closes then, would be cut off.
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
}

// copyHTTP passes bytes on to an address, connection by connection, and knows nothing of
// HTTP.
func copyHTTP(address string) int {
	return tell(func(l net.Listener) error {
		for {
			client, err := l.Accept()
			if err != nil {
				return err
			}
			server, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				return err
			}
			pass := func(to, from net.Conn) {
				defer to.Close()
				buffer := make([]byte, 32<<10)
				for {
					n, err := from.Read(buffer)
					if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
						return
					}
				}
			}
			go pass(server, client)
			go pass(client, server)
		}
	})
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

// ways are the addresses of a server, and of those before it, with their names: the proxy, one that
// copies bytes, the standard library's, and where there is a compiler two in C that copy, of which
// the second one has the kernel move what passes.
func ways(b *testing.B) (names, addresses []string) {
	server := start(b, "http")
	names = []string{"direct", "proxied", "copy", "net/http"}
	addresses = []string{server, start(b, "proxyhttp", server), start(b, "copyhttp", server), start(b, "plainhttp", server)}
	if c := copier(b); c != "" {
		port := server[strings.LastIndexByte(server, ':')+1:]
		names = append(names, "C-copy", "C-splice")
		addresses = append(addresses, address(b, exec.Command(c, "tcp", port)), address(b, exec.Command("env", "MODE=splice", c, "tcp", port)))
	}
	return names, addresses
}

// BenchmarkHTTP is a call over HTTP, by turns direct, by the proxy, by one that copies bytes, and
// by the standard library's proxy: answered at once, and by a stream, of which the first byte
// counts.
func BenchmarkHTTP(b *testing.B) {
	names, addresses := ways(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	for _, path := range []string{"/mcp", "/stream"} {
		b.Run(path[1:], func(b *testing.B) {
			took := make([][]time.Duration, len(addresses))
			for range 200 {
				for _, address := range addresses {
					post(b, client, address+path)
				}
			}
			for b.Loop() {
				for i, address := range addresses {
					first, all := post(b, client, address+path)
					if path == "/mcp" {
						first = all
					}
					took[i] = append(took[i], first)
				}
			}
			b.ReportMetric(0, "ns/op")
			direct := median(took[0])
			b.ReportMetric(float64(direct.Nanoseconds())/1000, "direct-µs")
			for i := 1; i < len(took); i++ {
				b.ReportMetric(float64((median(took[i])-direct).Nanoseconds())/1000, names[i]+"-added-µs")
			}
		})
	}
}

// BenchmarkHTTPThroughput is an answer of 10 MiB to a client that only reads it, by turns as
// BenchmarkHTTP: of a length that its head tells, and in chunks.
func BenchmarkHTTPThroughput(b *testing.B) {
	names, addresses := ways(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	for _, path := range []string{"/big", "/chunks"} {
		b.Run(path[1:], func(b *testing.B) {
			took := make([][]time.Duration, len(addresses))
			for b.Loop() {
				for i, address := range addresses {
					_, all := post(b, client, address+path)
					took[i] = append(took[i], all)
				}
			}
			b.ReportMetric(0, "ns/op")
			direct := median(took[0])
			b.ReportMetric(10/direct.Seconds(), "direct-MiB/s")
			for i, name := range names[1:] {
				b.ReportMetric(100*direct.Seconds()/median(took[i+1]).Seconds(), name+"-%-of-direct")
			}
		})
	}
}
