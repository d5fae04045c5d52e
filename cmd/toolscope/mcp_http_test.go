// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// proxyHTTP starts a proxy before a target, and returns its address.
func proxyHTTP(t *testing.T, target string, options ...string) (cmd *exec.Cmd, address string) {
	t.Helper()
	return proxyHTTPInto(t, t.TempDir(), io.Discard, target, options...)
}

// proxyHTTPInto starts a proxy with a directory for its state, and copies its standard error to log.
func proxyHTTPInto(
	t *testing.T, state string, log io.Writer, target string, options ...string,
) (cmd *exec.Cmd, address string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(
		t.Context(),
		self,
		append([]string{"mcp", "--target", target + "/mcp", "--listen", "127.0.0.1:0"}, options...)...)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+state, "OTEL_SDK_DISABLED=")
	stderr, copied := io.Pipe()
	t.Cleanup(func() { _ = stderr.Close() })
	cmd.Stderr = io.MultiWriter(log, copied)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	if err == nil && strings.HasPrefix(line, "statistics at ") {
		line, err = lines.ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`passing (http://\S+) on to`).FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("got %q, want the address", line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return cmd, found[1]
}

// A proxy over HTTP passes calls on, logs them, and ends with code 0 when it is asked to. It
// lost what it had not yet looked at when its terminal was closed.
func TestProxyOverHTTP(t *testing.T) {
	heedSignals(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) { proxyOverHTTP(t, s) })
	}
}

func proxyOverHTTP(t *testing.T, ending syscall.Signal) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(
			w,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+r.URL.Path+`"}]}}`,
		)
	}))
	defer server.Close()
	options := transparent(t)
	cmd, address := proxyHTTP(t, server.URL, options...)
	resp, err := http.Post(address, "application/json", strings.NewReader(callOf("1", "echo", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"text":"/mcp"`) {
		t.Errorf("got %s and %v", body, err)
	}
	if err := cmd.Process.Signal(ending); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want code 0", err)
	}
	if lines := logged(t, options); len(lines) != 1 || toolOf(lines[0]) != "echo" || lines[0]["outcome"] == "refused" {
		t.Errorf("got %v, want the call", lines)
	}
}

// writes has what is written to it.
type writes chan string

func (w writes) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// What net/http logs of a server's bytes is redacted.
func TestUnsolicitedAnswersAreRedacted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	secret := "ghp" + "_" + strings.Repeat("aB3", 12)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nX: token "+secret+"\r\n")
		}
	}()
	printed := make(writes, 16)
	_, address := proxyHTTPInto(t, t.TempDir(), printed, "http://"+l.Addr().String(), transparent(t)...)
	resp, err := http.Post(address, "application/json", strings.NewReader(callOf("1", "echo", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	var line string
	for !strings.Contains(line, "Unsolicited") {
		select {
		case line = <-printed:
		case <-time.After(20 * time.Second):
			t.Fatal("nothing was logged of the second answer")
		}
	}
	if strings.Contains(line, secret) || !strings.Contains(line, "REDACTED") {
		t.Errorf("got %q, want the token removed", line)
	}
}

// A session of the older transport: without policies its calls pass, with policies they are refused. Each is in the log.
func TestOlderTransportIsLogged(t *testing.T) {
	policies := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(policies, []byte("policies:\n  recover: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server {
		server := mcp.NewServer(&mcp.Implementation{Name: "older", Version: "1"}, nil)
		mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(context.Context, *mcp.CallToolRequest, struct{}) (
			*mcp.CallToolResult, any, error,
		) {
			return nil, nil, nil
		})
		return server
	}, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, refused := range []bool{false, true} {
		options := transparent(t)
		if refused {
			options = append(options, "--config", policies)
		}
		cmd, address := proxyHTTP(t, server.URL, options...)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).
			Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: address}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); (err != nil) != refused {
			t.Errorf("refused %t: got %v", refused, err)
		}
		_ = session.Close()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		lines := logged(t, options)
		if len(lines) != 1 || toolOf(lines[0]) != "echo" || (lines[0]["outcome"] == "refused") != refused {
			t.Errorf("refused %t: got %v, want the call", refused, lines)
		}
	}
}

// A proxy of the environment stands before a target that is not of this machine.
func TestProxyBehindAProxy(t *testing.T) {
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(
			w,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+r.URL.String()+" "+r.Host+`"}]}}`,
		)
	}))
	defer between.Close()
	t.Setenv("HTTP_PROXY", between.URL)
	t.Setenv("http_proxy", between.URL)
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	options := transparent(t)
	cmd, address := proxyHTTP(t, "http://mcp.example.test", options...)
	resp, err := http.Post(address, "application/json", strings.NewReader(callOf("1", "echo", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"http://mcp.example.test/mcp mcp.example.test"`) {
		t.Errorf("got %s and %v, want the request to use the proxy", body, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want code 0", err)
	}
	if lines := logged(t, options); len(lines) != 1 || toolOf(lines[0]) != "echo" {
		t.Errorf("got %v, want the call", lines)
	}
}

// No other machine is answered, and the error says what to do instead.
func TestProxyListensToThisMachineOnly(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(
		[]string{"mcp", "--target", "http://localhost:1/", "--listen", "0.0.0.0:0"}, strings.NewReader(""),
		&stdout, &stderr,
	); code != exitError ||
		!strings.Contains(stderr.String(), "want a loopback address") {
		t.Errorf("got code %d and %s", code, stderr.String())
	}
}
