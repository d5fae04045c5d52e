// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// proxied is a command whose server is a fake one, behind a proxy with options; without
// any it is the server itself.
func proxied(t testing.TB, server string, options ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var cmd *exec.Cmd
	if options == nil {
		cmd = exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), programEnv+"="+server)
	} else {
		args := append([]string{"mcp"}, options...)
		cmd = exec.CommandContext(t.Context(), self, append(args, "--", "env", programEnv+"="+server, self)...)
		cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	}
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+t.TempDir(), "OTEL_SDK_DISABLED=", recordings.Variable+"=")
	return cmd
}

// onlyRecording is the file of the one recording in a directory.
func onlyRecording(t *testing.T, dir string) string {
	t.Helper()
	list, err := recordings.List(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("got the recordings %v (%v), want one", list, err)
	}
	return list[0].Paths[len(list[0].Paths)-1]
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// transparent are options that leave every byte as it is.
func transparent(t testing.TB) []string {
	return []string{"--log", filepath.Join(t.TempDir(), "calls.jsonl")}
}

// ended is what a process left: output, standard error and how it ended.
type ended struct {
	stdout, stderr string
	status         syscall.WaitStatus
}

// runWith runs a command on an input.
func runWith(t *testing.T, cmd *exec.Cmd, input string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{stdout.String(), stderr.String(), cmd.ProcessState.Sys().(syscall.WaitStatus)}
}

// toolOf is the name that the caller of a logged call gave.
func toolOf(line map[string]any) any {
	if name := line["requested_name"]; name != nil {
		return name
	}
	return line["tool"]
}

// logged are the lines of the call log that the options name.
func logged(t *testing.T, options []string) (lines []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(options[1])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if m["record"] == "end" {
			lines = append(lines, m)
		}
	}
	return lines
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"2"}}}` + "\n"
	listTools = `{"jsonrpc":"2.0","id":"list","method":"tools/list"}` + "\n"
)

func callOf(id, name, args string) string {
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n",
		id,
		name,
		args,
	)
}

// Whatever is sent arrives as it is, with standard error and the exit code.
func TestProxyPassesEveryByte(t *testing.T) {
	random := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	for name, input := range map[string]string{
		"nothing":         "",
		"random bytes":    string(random),
		"half a message":  initialize + `{"jsonrpc":"2.0","id":1,"method":"tools/ca`,
		"unknown methods": `{"jsonrpc":"2.0","id":1,"method":"x/y"}` + "\r\n" + `{"jsonrpc":"1.0","method":5}` + "\n\n\n",
		"batches":         `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n[]\n",
		"deep":            strings.Repeat("[", 100_000) + "\n" + strings.Repeat(`{"a":`, 100_000) + "\n",
		"a long line": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat(
			"x", 9<<20,
		) + "\n",
		"names that are odd": callOf("{}", "a", "1") + callOf("null", "", "[]") + callOf("1e999", "\\u0000", "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			want := runWith(t, proxied(t, "cat"), input)
			got := runWith(t, proxied(t, "cat", transparent(t)...), input)
			if got.stdout != input || want.stdout != input {
				t.Errorf("got %d bytes back, want the %d sent", len(got.stdout), len(input))
			}
			if got.stderr != want.stderr || got.status != want.status || got.status.ExitStatus() != exitFake {
				t.Errorf(
					"got stderr %q and status %v, want %q and %v",
					got.stderr,
					got.status,
					want.stderr,
					want.status,
				)
			}
		})
	}
}

func TestProxyShowsCalls(t *testing.T) {
	options := transparent(t)
	secret := "ghp" + "_" + strings.Repeat("aB3", 12)
	input := initialize + listTools + callOf("1", "echo", `{"token":"`+secret+`"}`) + callOf("2", "nothing", "{}")
	got := runWith(t, proxied(t, "mcp", options...), input)
	if want := runWith(t, proxied(t, "mcp"), input); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	lines := logged(t, options)
	if len(lines) != 2 || toolOf(lines[0]) != "echo" || !strings.Contains(fmt.Sprint(lines[0]["result"]), "echo") ||
		lines[0]["trace_id"] == nil {
		t.Fatalf("got %v, want two calls", lines)
	}
	if text := fmt.Sprint(lines); strings.Contains(text, secret) || !strings.Contains(text, "REDACTED") {
		t.Errorf("got %s, want the token removed", text)
	}
}

// Traces that the environment wants drawn are drawn to the last one, after what the server says.
func TestProxyDrawsEveryTrace(t *testing.T) {
	cmd := proxied(t, "mcp", transparent(t)...)
	cmd.Env = append(cmd.Env, "OTEL_TRACES_EXPORTER=console")
	input := initialize + listTools
	for n := range 50 {
		input += callOf(fmt.Sprint(n+1), "echo", fmt.Sprintf(`{"n":%d}`, n))
	}
	got := runWith(t, cmd, input)
	if n := strings.Count(got.stderr, "\ntools/call "); n != 50 {
		t.Errorf("got %d of 50 calls on standard error: %s", n, got.stderr)
	}
}

// A client that waits for each answer: whatever is served first, none of its calls is missing.
func TestEveryCallIsLogged(t *testing.T) {
	const calls = 1000
	options := transparent(t)
	cmd := proxied(t, "mcp", options...)
	d := talk(t, cmd)
	for i := range calls {
		d.ask(callOf(strconv.Itoa(i), "echo", "{}"))
	}
	_ = d.in.Close()
	_ = cmd.Wait() // with the fake's code
	lines := logged(t, options)
	for _, line := range lines {
		if line["error_type"] != nil {
			t.Fatalf("got %v, want no error", line)
		}
	}
	if len(lines) != calls {
		t.Errorf("got %d calls, want %d", len(lines), calls)
	}
}

// Each line of the log names the server, other requests are in it by option, and only its owner can read it, also if
// others could read the file before.
func TestLinesOfTheLog(t *testing.T) {
	dir := t.TempDir()
	policies, log := filepath.Join(dir, "policies.yaml"), filepath.Join(dir, "calls.jsonl")
	if err := os.WriteFile(policies, []byte("policies:\n  recover: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct {
		name    string
		options []string
		want    string
	}{
		{"passed", nil, "begin echo, end echo"},
		{"methods", []string{"--log-methods"}, "begin echo, end echo, request initialize, request tools/list"},
		{"governed", []string{"--config", policies, "--log-methods"},
			"begin echo, end echo, request initialize, request tools/list"},
	} {
		cmd := proxied(t, "mcp", append([]string{"--log", log, "--name", run.name}, run.options...)...)
		d := talk(t, cmd)
		d.ask(callOf("1", "echo", "{}"))
		d.end()
		var got []string
		for _, line := range linesOf(t, log) {
			var l struct {
				Server, Record, Method, Tool string
				Requested                    string `json:"requested_name"`
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if l.Server == run.name {
				got = append(got, l.Record+" "+cmp.Or(l.Method, l.Requested, l.Tool))
			}
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != run.want {
			t.Errorf("%s: got %s, want %s", run.name, got, run.want)
		}
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its owner alone", info, err)
	}
}

// A server that is killed within a call: what it wrote until then arrives, the proxy ends by
// the same signal, and the call is recorded as unanswered.
func TestProxyOfServerThatIsKilled(t *testing.T) {
	options := transparent(t)
	got := runWith(t, proxied(t, "mcp", options...), initialize+callOf("1", "die", "{}"))
	if !strings.HasSuffix(got.stdout, `{"jsonrpc":"2.0","id":1,"resu`) || !got.status.Signaled() ||
		got.status.Signal() != syscall.SIGKILL {
		t.Errorf("got %q and %v, want half a message and SIGKILL", got.stdout, got.status)
	}
	if lines := logged(t, options); len(lines) != 1 || lines[0]["error_type"] != "unanswered" {
		t.Errorf("got %v, want one call that was not answered", lines)
	}
}

// So does a proxy whose server crashed.
func TestProxyOfServerThatCrashes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the exit code says it")
	}
	for _, crash := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self, "mcp", "--", "sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", crash))
		cmd.Env = append(os.Environ(), programEnv+"=toolscope", "XDG_STATE_HOME="+t.TempDir())
		if got := runWith(t, cmd, ""); !got.status.Signaled() || got.status.Signal() != crash || got.stderr != "" {
			t.Errorf("%v: got %v and %q, want the server's signal", crash, got.status, got.stderr)
		}
	}
}

// peakKiB is the most memory that a process has had, 0 where there is no /proc. (What wait tells
// counts the memory of its parent, too.)
func peakKiB(pid int) (n int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
		_, _ = fmt.Sscan(after, &n)
	}
	return n
}

// A message of 100 MiB passes as it is, to a client that reads slowly, in memory that does
// not grow with it.
func TestProxyPassesLargeMessages(t *testing.T) {
	sum := func(options ...string) (digest string, size int64, memory int64) {
		cmd := proxied(t, "mcp", options...)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stdin, initialize+callOf(`"big"`, "big", "{}")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond) // a slow reader: pipes are full meanwhile
		h := sha256.New()
		r := bufio.NewReader(stdout)
		for range 2 {
			n, err := readLine(r, h)
			if err != nil {
				t.Fatal(err)
			}
			size += n
		}
		memory = peakKiB(cmd.Process.Pid)
		stdin.Close()
		_ = cmd.Wait() // exitFake
		return fmt.Sprintf("%x", h.Sum(nil)), size, memory
	}
	options := transparent(t)
	want, _, _ := sum()
	got, size, memory := sum(options...)
	if got != want || size < bigResult {
		t.Errorf("got %d bytes with digest %s, want %s", size, got, want)
	}
	if runtime.GOOS == "linux" && !raceEnabled && memory > 160<<10 {
		t.Errorf("the proxy took %d KiB, want at most 160 MiB", memory)
	}
	if lines := logged(t, options); len(lines) != 1 || toolOf(lines[0]) != "big" ||
		!strings.Contains(fmt.Sprint(lines[0]), "not looked at") {
		t.Errorf("got %.500v, want the call", lines)
	}
}

// readLine copies a line, however long, and returns its length.
func readLine(r *bufio.Reader, to io.Writer) (n int64, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		n += int64(len(piece))
		_, _ = to.Write(piece)
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

// A flood of notifications arrives complete, and the call that it belongs to is seen.
func TestProxyPassesFloods(t *testing.T) {
	options := transparent(t)
	input := initialize + callOf("1", "flood", "{}") + callOf("2", "echo", "{}")
	want := runWith(t, proxied(t, "mcp"), input)
	got := runWith(t, proxied(t, "mcp", options...), input)
	if got != want {
		t.Errorf("got %d bytes and %v, want %d and %v", len(got.stdout), got.status, len(want.stdout), want.status)
	}
	if lines := logged(t, options); len(lines) != 2 {
		t.Errorf("got %v, want two calls", lines)
	}
}

// heedSignals lets programs that the test starts get SIGINT and SIGHUP, also if the test itself runs below nohup or
// in the background of a script, where they are ignored.
func heedSignals(t *testing.T) {
	t.Helper()
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, syscall.SIGINT, syscall.SIGHUP) // signal.Ignored is wrong once a test has stopped such a channel
	t.Cleanup(func() { signal.Stop(heeded) })
}

func TestProxyPassesSignals(t *testing.T) {
	heedSignals(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		cmd := proxied(t, "polite", transparent(t)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" || err != nil {
			t.Fatalf("got %q and %v", line, err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // exitFake
		if code := cmd.ProcessState.ExitCode(); code != exitFake || stderr.String() != "got "+s.String() {
			t.Errorf("%v: got code %d and %q", s, code, stderr.String())
		}
	}
}

// A proxy that is killed takes its server with it, as the client that kills it wants.
func TestServerEndsWithItsProxy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a process of its parent's end")
	}
	cmd := proxied(t, "polite", transparent(t)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe() // the server's too: it ends when both are gone
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stderr); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// One direction can be closed while the other goes on.
func TestProxyHalfCloses(t *testing.T) {
	options := transparent(t)
	cmd := proxied(t, "mute", options...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stdout) // ends while the server runs
	if string(text) != "last words\n" || err != nil {
		t.Errorf("got %q and %v", text, err)
	}
	if _, err := io.WriteString(stdin, initialize); err != nil {
		t.Errorf("the server still reads: %v", err)
	}
	stdin.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFake || stderr.String() != "still there" {
		t.Errorf("got code %d and %q", code, stderr.String())
	}
}

// A client that goes away: the server sees its input end, and its output refused.
func TestProxyOfClientThatIsGone(t *testing.T) {
	cmd := proxied(t, "mcp", transparent(t)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	_, _ = io.WriteString(stdin, initialize+callOf("1", "flood", "{}")+callOf("2", "hang", "{}"))
	stdin.Close()
	_ = cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if code := status.ExitStatus(); code != 3 && code != exitFake && code != 128+int(syscall.SIGPIPE) {
		t.Errorf("got %v, want the server's end", status)
	}
}

// A server that leaves a process behind, which holds its output, does not keep the proxy.
func TestProxyDoesNotWaitForDaemons(t *testing.T) {
	began := time.Now()
	cmd := proxied(t, "daemon", transparent(t)...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscanf(line, "left %d", &pid); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if took := time.Since(began); took > time.Minute || cmd.ProcessState.ExitCode() != exitFake {
		t.Errorf("got code %d after %v", cmd.ProcessState.ExitCode(), took)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL) // the one that we left
}

func TestProxyWords(t *testing.T) {
	for _, tt := range []struct {
		args   string
		code   int
		output string
	}{
		{"mcp --help", exitOK, "--inject-context"},
		{"mcp", exitUsage, "got no server"},
		{"mcp npx", exitUsage, `got argument "npx"`},
		{"mcp --listen :1", exitUsage, "want both"},
		{"mcp --target ftp://x/ --listen :1", exitUsage, "--target"},
		{"mcp --listen :1 -- x", exitUsage, "want one of both"},
		{"mcp --hung 0s -- x", exitUsage, "--hung"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr); code != tt.code ||
			!strings.Contains(stdout.String()+stderr.String(), tt.output) {
			t.Errorf(
				"%s: got code %d and %s%s, want %d and %q",
				tt.args,
				code,
				stdout.String(),
				stderr.String(),
				tt.code,
				tt.output,
			)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "mcp", "--", "no-such-program-anywhere")
	cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	if got := runWith(t, cmd, ""); got.status.ExitStatus() != exitNotFound ||
		!strings.Contains(got.stderr, "no-such-program-anywhere") {
		t.Errorf("got %+v, want code %d", got, exitNotFound)
	}
}
