// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What demos push is served as one program's statistics, also after a restart, and to those with the token only.
func TestStatsServe(t *testing.T) {
	dir, token := t.TempDir(), rand.Text()
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLSCOPE_PUSH_TOKEN", token)
	address := freeAddress(t)
	serve := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan int)
		go func() {
			ended <- execute(ctx, []string{
				"stats", "serve", "--listen", address, "--token-file", file, "--dir", filepath.Join(dir, "stats"),
			}, strings.NewReader(""), io.Discard, io.Discard)
		}()
		awaitListener(t, address)
		return func() {
			t.Helper()
			cancel()
			if code := <-ended; code != exitOK {
				t.Errorf("stats serve: got exit code %d, want 0", code)
			}
		}
	}
	total := func() float64 {
		code, stdout, stderr := invoke("stats", "", "--token-file", file, "--window", "total", "--json", "http://"+address+"/")
		var got struct {
			Overall struct{ Calls float64 }
		}
		if err := json.Unmarshal([]byte(stdout), &got); code != exitOK || err != nil {
			t.Fatalf("stats: got %d %v %s", code, err, stderr)
		}
		return got.Overall.Calls
	}
	stop := serve()
	code, stdout, stderr := invoke("demo", "", "--once", "--json", "--push", "http://"+address)
	var demo struct {
		Stats struct{ Overall struct{ Calls float64 } }
	}
	if err := json.Unmarshal([]byte(stdout), &demo); code != exitOK || err != nil {
		t.Fatalf("demo: got %d %v %s", code, err, stderr)
	}
	if got, want := total(), demo.Stats.Overall.Calls; got != want || want == 0 {
		t.Errorf("got %v calls, want the demo's %v", got, want)
	}
	t.Run("calls are pushed as well", func(t *testing.T) {
		before := total()
		t.Setenv("TOOLSCOPE_PUSH_URL", "http://"+address)
		if code, _, stderr := invoke("call", "", "--dir", dir, "--quiet", "file_list", "{}"); code != exitOK {
			t.Fatalf("call: got %d %s", code, stderr)
		}
		if got := total(); got != before+1 {
			t.Errorf("got %v calls, want %v and one", got, before)
		}
	})
	pushed := total()
	resp, err := http.Get("http://" + address + "/api/v1/summary")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: got %s", resp.Status)
	}
	stop()
	stop = serve()
	if got, want := total(), pushed; got != want {
		t.Errorf("after a restart: got %v calls, want %v", got, want)
	}
	stop()

	t.Setenv("TOOLSCOPE_PUSH_TOKEN", "short")
	if code, _, stderr := invoke("demo", "", "--once", "--push", "http://"+address); code != exitError ||
		!strings.Contains(stderr, "TOOLSCOPE_PUSH_TOKEN") {
		t.Errorf("a short token: got %d %s", code, stderr)
	}
	t.Setenv("TOOLSCOPE_TOKEN", "")
	if code, _, stderr := invoke("stats", "", "serve"); code != exitUsage || !strings.Contains(stderr, "--token-file") {
		t.Errorf("without a token: got %d %s", code, stderr)
	}
}

// freeAddress is a loopback address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// awaitListener waits until a server listens on an address.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) { // until it listens
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
