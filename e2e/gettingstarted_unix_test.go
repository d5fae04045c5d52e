// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pageBlock finds the code blocks of docs/getting-started.md: file, kind and text.
var pageBlock = regexp.MustCompile("(?s)(?:<!-- file: (\\S+) -->\n)?(<!-- not run: [^\n]*\n)?```(\\w+)\n(.*?\n)```\n")

// A walk follows docs/getting-started.md from an empty folder, as a stranger does, with the modules of
// the working tree in a file-system module proxy.
type walk struct {
	t       *testing.T
	dir     string
	env     []string
	exports string // what the first terminal has exported
	replace *strings.Replacer
	program *walked // what runs in the first terminal
}

// TestGettingStarted follows docs/getting-started.md: the first p99 over HTTP, the first span in Jaeger's API
// and the first refused call, all of the page's own registry.
func TestGettingStarted(t *testing.T) {
	page, err := os.ReadFile("../docs/getting-started.md")
	if err != nil {
		t.Fatal(err)
	}
	server := startJaeger(t)
	w := &walk{t: t, dir: t.TempDir(), env: releasedModules(t)}
	w.replace = strings.NewReplacer(
		"127.0.0.1:8321", freeAddress(t), "localhost:4317", host(t, server.OTLP), "localhost:16686", host(t, server.Query))
	defer func() { w.program.stop() }()
	answers := []*regexp.Regexp{
		regexp.MustCompile(`"p99_ms": ?[1-9]`),
		regexp.MustCompile(`(?s)execute_tool (search|delete).*\[REDACTED:passwd\]`),
		regexp.MustCompile(`(?s)"tool": ?"delete".*"outcome": ?"refused"`),
	}
	start := time.Now()
	for _, b := range pageBlock.FindAllStringSubmatch(string(page), -1) {
		file, mark, kind, text := b[1], b[2], b[3], w.replace.Replace(b[4])
		switch {
		case strings.Contains(mark, "has a Jaeger of its own"):
		case file != "":
			if lines := strings.Count(text, "\n"); file == "main.go" && lines > 25 {
				t.Errorf("main.go: got %d lines, want at most 25", lines)
			}
			w.save(file, text)
		case kind == "diff":
			w.save("change.diff", text)
			w.do("git apply change.diff")
		case strings.Contains(text, "go run ."):
			w.run(text)
		case strings.HasPrefix(text, "curl "):
			if len(answers) == 0 {
				t.Fatalf("%s: want an answer to wait for in this test", text)
			}
			answer := w.await(text, answers[0])
			if strings.Contains(answer, "hunter2") {
				t.Errorf("got the password in %s", answer)
			}
			t.Logf("after %s: %s", time.Since(start).Round(100*time.Millisecond), text)
			answers = answers[1:]
		default:
			t.Fatalf("got a block that this test does not know:\n%s", text)
		}
	}
	if len(answers) > 0 {
		t.Errorf("the page ends without an answer that matches %s", answers[0])
	}
}

// releasedModules packs the modules of the working tree and returns the environment of a user who gets them
// from a proxy, and all others from this machine's module cache where it has them. Paths are trimmed, so
// that the build cache is shared with other programs.
func releasedModules(t *testing.T) []string {
	t.Helper()
	proxy := t.TempDir()
	pack := exec.Command("go", "run", "./internal/release", "proxy", proxy)
	pack.Dir = ".."
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("internal/release proxy: %v\n%s", err, out)
	}
	vars, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, next, _ := strings.Cut(strings.TrimSpace(string(vars)), "\n")
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OTEL_") {
			env = append(env, v)
		}
	}
	return append(env,
		"GOWORK=off", "GOSUMDB=off", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE="+t.TempDir(),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download,"+next)
}

func host(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func (w *walk) save(file, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, file), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *walk) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euc", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// do runs a script to its end.
func (w *walk) do(script string) {
	w.t.Helper()
	if out, err := w.command(w.t.Context(), script).CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// await runs a script in the second terminal until it prints what matches, for five minutes: the
// program may still have to be compiled.
func (w *walk) await(script string, want *regexp.Regexp) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for {
		out, err := w.command(ctx, script).Output()
		if err == nil && want.Match(out) {
			return string(out)
		}
		select {
		case <-poll.C:
		case <-w.program.exited:
			w.t.Fatalf("the program ended:\n%s", w.program.output.String())
		case <-ctx.Done():
			w.program.stop()
			w.t.Fatalf("%s: got %s and %v, want %s\n%s", script, out, err, want, w.program.output.String())
		}
	}
}

// run stops what runs in the first terminal and runs a script there.
func (w *walk) run(script string) {
	w.t.Helper()
	w.program.stop()
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "export ") {
			w.exports += line
		}
	}
	p := &walked{cmd: w.command(context.WithoutCancel(w.t.Context()), w.exports+script), exited: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	w.program = p
}

// A walked program runs in a process group of its own.
type walked struct {
	cmd    *exec.Cmd
	output bytes.Buffer // to be read after exited is closed
	exited chan struct{}
}

// stop is Ctrl-C. Nil is none.
func (p *walked) stop() {
	if p == nil {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT)
	<-p.exited
}
