// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// plan is what is to be run.
type plan struct {
	dir         string
	full, peers bool
	agent       int
	only        string
	passes      int
	time        string
}

// quick are the benchmarks that goals speak of: one goroutine and two, and few sizes.
const quick = `^Benchmark(Call|Miss)$/^mode=/^goroutines=[12]$|^BenchmarkApart$|^BenchmarkRedact$|` +
	`^BenchmarkResult$/^mode=sampled$/^form=/^bytes=(8192|10485760)$|` +
	`^BenchmarkMCP$/^mode=/^goroutines=1$`

// run runs the plan, and fills in the directory if there is none.
func (p *plan) run(ctx context.Context) error {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "toolscope-bench-")
		if err != nil {
			return err
		}
		p.dir = dir
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "outputs in", p.dir)
	if p.agent > 0 {
		if err := p.runAgent(ctx); err != nil {
			return err
		}
		if p.only == "" && !p.full && !p.peers {
			return nil
		}
	}
	binaries, err := p.build(ctx)
	if err != nil {
		return err
	}
	for pass := 1; pass <= p.passes; pass++ {
		fmt.Fprintf(os.Stderr, "pass %d of %d\n", pass, p.passes)
		if err := p.pass(ctx, pass, binaries); err != nil {
			return err
		}
	}
	return nil
}

// binary is one program of benchmarks.
type binary struct {
	name, path, directory string
	pattern               string
}

// build makes the programs to run: ours and, with the peers, those of their modules, which
// have ours in them as well.
func (p *plan) build(ctx context.Context) ([]binary, error) {
	pattern := quick
	if p.full {
		pattern = "."
	}
	if p.only != "" {
		pattern = p.only
	}
	binaries := []binary{{name: "ours", directory: ".", pattern: pattern}}
	if p.peers {
		peers, err := filepath.Glob("peers/*/go.mod")
		if err != nil {
			return nil, err
		}
		for _, mod := range append([]string{"peers/go.mod"}, peers...) {
			dir := filepath.Dir(mod)
			only := "."
			if p.only != "" {
				only = p.only
			}
			binaries = append(
				binaries,
				binary{name: strings.ReplaceAll(filepath.ToSlash(dir), "/", "-"), directory: dir, pattern: only},
			)
		}
	}
	for i := range binaries {
		b := &binaries[i]
		b.path = filepath.Join(p.dir, b.name+".test")
		if runtime.GOOS == "windows" {
			b.path += ".exe"
		}
		out, err := filepath.Abs(b.path)
		if err != nil {
			return nil, err
		}
		b.path = out
		if err := command(ctx, b.directory, os.Stderr, "go", "test", "-c", "-o", out, "."); err != nil {
			return nil, fmt.Errorf("building %s: %w", b.name, err)
		}
	}
	return binaries, nil
}

// pass runs each benchmark once. A pattern of several parts joined by | is run part by
// part, since each part matches its own levels.
func (p *plan) pass(ctx context.Context, pass int, binaries []binary) error {
	out, err := os.Create(filepath.Join(p.dir, fmt.Sprintf("pass-%02d.txt", pass)))
	if err != nil {
		return err
	}
	defer out.Close()
	if load, err := os.ReadFile("/proc/loadavg"); err == nil { // where the system tells it
		fmt.Fprintf(out, "load: %s\n", strings.Fields(string(load))[0])
	}
	for _, b := range binaries {
		args := []string{"-test.run=^$", "-test.bench=" + b.pattern, "-test.benchtime=" + p.time, "-test.timeout=1h"}
		if !p.full && p.only == "" {
			args = append(args, "-test.short")
		}
		if err := command(ctx, b.directory, out, b.path, args...); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	return out.Close()
}

func command(ctx context.Context, directory string, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = directory, out, os.Stderr
	return cmd.Run()
}

// runAgent runs the whole program, alternately bare and wrapped, each in a process of its own.
func (p *plan) runAgent(ctx context.Context) error {
	path, err := filepath.Abs(filepath.Join(p.dir, "agentload"))
	if err != nil {
		return err
	}
	if err := command(ctx, ".", os.Stderr, "go", "build", "-o", path, "./cmd/agentload"); err != nil {
		return fmt.Errorf("building agentload: %w", err)
	}
	out, err := os.Create(filepath.Join(p.dir, "agent.txt"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := command(ctx, ".", out, path, "-runs", strconv.Itoa(p.agent)); err != nil {
		return fmt.Errorf("agentload: %w", err)
	}
	return out.Close()
}
