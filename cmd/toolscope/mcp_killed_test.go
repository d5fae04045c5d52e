// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// A proxy that is killed at any time leaves a line of each call that it has forwarded: once calls were written down when
// they ended only.
func TestCallsAreLoggedBeforeTheyAreForwarded(t *testing.T) {
	dir := t.TempDir()
	policies := filepath.Join(dir, "policies.yaml")
	if err := os.WriteFile(policies, []byte("policies:\n  recover: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]string{"passed": nil, "governed": {"--config", policies}, "recorded": nil} {
		for i := range 4 {
			log, got := filepath.Join(dir, name+strconv.Itoa(i)), filepath.Join(dir, name+strconv.Itoa(i)+".got")
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"mcp", "--log", log, "--name", "files"}, options...)
			sessions := "off"
			if name == "recorded" {
				args, sessions = []string{"mcp", "--name", "files"}, log
			}
			cmd := exec.CommandContext(t.Context(), self, append(args, "--", "tee", got)...)
			cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+dir, "OTEL_SDK_DISABLED=",
				recordings.Variable+"="+sessions)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			written := make(chan struct{})
			go func() {
				defer close(written)
				for n := range 20_000 {
					if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x",`+
						`"arguments":{"n":%d}}}`+"\n", n, n); err != nil {
						return
					}
				}
			}()
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if info, err := os.Stat(got); err == nil && info.Size() > int64(rand.IntN(50_000)) {
					break
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			<-written
			if name == "recorded" {
				log = onlyRecording(t, sessions)
			}
			logged := argumentsLogged(t, log)
			passed := linesOf(t, got)
			for _, line := range passed {
				var call struct {
					Params struct{ Arguments json.RawMessage }
				}
				if json.Unmarshal([]byte(line), &call) == nil && !logged[string(call.Params.Arguments)] {
					t.Fatalf("%s: %s reached the server and is not among the %d calls of the log", name, line, len(logged))
				}
			}
			if len(passed) == 0 {
				t.Errorf("%s: nothing reached the server", name)
			}
		}
	}
}

// So does a proxy over HTTP, however a client sends the bodies.
func TestCallsOverHTTPAreLoggedBeforeTheyAreForwarded(t *testing.T) {
	policies := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(policies, []byte("policies:\n  recover: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]string{"passed": nil, "governed": {"--config", policies}} {
		for range 4 {
			log := filepath.Join(t.TempDir(), "calls.jsonl")
			options := append([]string{"--log", log, "--name", "files"}, options...)
			passed := passedBeforeTheKill(t, 1+rand.IntN(400), options...)
			logged := argumentsLogged(t, log)
			for _, arguments := range passed {
				if !logged[arguments] {
					t.Fatalf("%s: %s reached the server and is not among the %d calls of the log", name, arguments, len(logged))
				}
			}
		}
	}
}

// passedBeforeTheKill has clients send calls through a proxy, kills it once so many have reached the server, and returns
// the arguments of all that did.
func passedBeforeTheKill(t *testing.T, calls int, options ...string) (passed []string) {
	t.Helper()
	var mu sync.Mutex
	enough := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Params struct{ Arguments json.RawMessage }
		}
		_ = http.NewResponseController(w).EnableFullDuplex() // it does not wait for the end of the body
		if json.NewDecoder(r.Body).Decode(&call) != nil {
			return
		}
		mu.Lock()
		if passed = append(passed, string(call.Params.Arguments)); len(passed) == calls {
			close(enough)
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	cmd, address := proxyHTTP(t, server.URL, options...)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				body := callOf("1", "x", fmt.Sprintf(`{"n":"%d of %d"}`, n, client))
				var in io.Reader = strings.NewReader(body)
				answered, stopped := context.WithCancel(ctx)
				if client%2 == 1 { // in chunks, the last of which waits for the answer; policies wait for it
					in = io.MultiReader(in, readerFunc(func([]byte) (int, error) {
						<-answered.Done()
						return 0, io.EOF
					}))
				}
				if r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, in); err == nil {
					r.Header.Set("Content-Type", "application/json")
					if resp, err := http.DefaultClient.Do(r); err == nil {
						stopped()
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				}
				stopped()
			}
		})
	}
	select {
	case <-enough:
	case <-time.After(20 * time.Second):
		t.Error("too few calls reached the server")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	stop()
	clients.Wait()
	server.Close() // once the last request has been read
	return passed
}

// readerFunc reads with a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// argumentsLogged are the arguments of the calls in a log.
func argumentsLogged(t *testing.T, log string) map[string]bool {
	t.Helper()
	logged := map[string]bool{}
	for _, line := range linesOf(t, log) {
		var l struct {
			Server    string          `json:"server"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal([]byte(line), &l); err == nil && l.Server == "files" {
			logged[string(l.Arguments)] = true
		}
	}
	return logged
}
