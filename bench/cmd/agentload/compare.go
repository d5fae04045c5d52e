// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/e2e/jaeger"
)

// e2e is where the module lies from which Jaeger is built.
const e2e = "../e2e"

// compare runs both kinds interleaved, next to one server and one Jaeger; which kind goes first
// changes, so that a drift of the machine falls on both.
func compare(ctx context.Context, s settings, runs int) error {
	server, stop, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	collector, err := startJaeger(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = collector.Stop(ctx) }()
	modes := []string{"bare", "wrapped"}
	for n := range runs {
		fmt.Fprintf(os.Stderr, "run %d of %d\n", n+1, runs)
		for i := range modes {
			if err := child(ctx, s, modes[(n+i)%2], server, collector.OTLP); err != nil {
				return err
			}
		}
	}
	return nil
}

// child is one run in a process of its own, whose output is ours.
func child(ctx context.Context, s settings, mode, server, endpoint string) error {
	cmd := exec.CommandContext(ctx, os.Args[0], "-mode", mode, "-server", server, "-duration", s.duration.String(),
		"-agents", strconv.Itoa(s.agents), "-batch", strconv.Itoa(s.batch))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(
		os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint, "OTEL_METRICS_EXPORTER=none",
		"OTEL_SERVICE_NAME=agentload",
	)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", mode, err)
	}
	return nil
}

// startServer starts this program as the server, and returns its address.
func startServer(ctx context.Context) (address string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not tell its address: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// startJaeger starts a Jaeger with its traces in memory, and builds it if there is none.
func startJaeger(ctx context.Context) (*jaeger.Server, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := os.Chdir(e2e); err != nil { // it is built from within that module
		return nil, fmt.Errorf("want to be run in the directory of module bench: %w", err)
	}
	binary, err := jaeger.Build(ctx)
	if back := os.Chdir(here); err == nil {
		err = back
	}
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "toolscope-jaeger-")
	if err != nil {
		return nil, err
	}
	return jaeger.Start(ctx, binary, dir)
}
