// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jaeger

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"text/template"
	"time"
)

//go:embed config.yaml
var configText string

var config = template.Must(template.New("config.yaml").Parse(configText))

// A Server is a running Jaeger.
type Server struct {
	OTLP     string // the URL that takes OTLP over gRPC
	OTLPHTTP string // the URL that takes OTLP over HTTP
	Query    string // the URL of the API and the pages

	binary, config string
	process        *exec.Cmd
	exited         chan struct{}
	log            string
}

// attempts is how often a start is tried: another program may take a port between our
// finding it free and Jaeger's listening.
const attempts = 3

// Start starts the binary and returns when it takes spans and answers questions. It
// keeps its configuration and its log in dir.
func Start(ctx context.Context, binary, dir string) (*Server, error) {
	return start(ctx, binary, dir, "")
}

// StartStored is Start of a Jaeger that keeps its spans in dir, so that it has them when it
// is started again.
func StartStored(ctx context.Context, binary, dir string) (*Server, error) {
	return start(ctx, binary, dir, filepath.Join(dir, "spans"))
}

func start(ctx context.Context, binary, dir, store string) (*Server, error) {
	var errs []error
	for range attempts {
		s, err := configure(binary, dir, store)
		if err != nil {
			return nil, err
		}
		err = s.Again(ctx)
		if err == nil {
			return s, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// configure writes the configuration of a server on free ports.
func configure(binary, dir, store string) (*Server, error) {
	ports, err := freePorts(4)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "jaeger.yaml")
	var text strings.Builder
	if err := config.Execute(
		&text,
		map[string]string{
			"OTLP": ports[0], "OTLPHTTP": ports[1], "Query": ports[2], "QueryGRPC": ports[3], "Store": store,
		},
	); err != nil {
		return nil, fmt.Errorf("jaeger: %w", err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return nil, fmt.Errorf("jaeger: %w", err)
	}
	return &Server{OTLP: "http://" + ports[0], OTLPHTTP: "http://" + ports[1], Query: "http://" + ports[2],
		binary: binary, config: path, log: filepath.Join(dir, "jaeger.log")}, nil
}

// Again starts a server that was stopped, where it was and with what it stored.
func (s *Server) Again(ctx context.Context) error {
	log, err := os.Create(s.log)
	if err != nil {
		return fmt.Errorf("jaeger: %w", err)
	}
	defer log.Close() // the process has its own
	s.exited = make(chan struct{})
	s.process = exec.Command(s.binary, "--config", s.config)
	s.process.Env = environment()
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("jaeger: %w", err)
	}
	go func() { _ = s.process.Wait(); close(s.exited) }()
	if err := s.ready(ctx, strings.TrimPrefix(s.OTLP, "http://")); err != nil {
		return errors.Join(err, s.Stop(ctx))
	}
	return nil
}

// ready waits until the API answers and the OTLP port is open.
func (s *Server) ready(ctx context.Context, otlp string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		_, err := s.Services(ctx)
		if err == nil {
			var c net.Conn
			if c, err = net.Dial("tcp", otlp); err == nil {
				return c.Close()
			}
		}
		select {
		case <-s.exited:
			return fmt.Errorf("jaeger: it ended: %v\n%s", s.process.ProcessState, s.Log())
		case <-ctx.Done():
			return fmt.Errorf("jaeger: not ready: %w (%w)\n%s", ctx.Err(), err, s.Log())
		case <-poll.C:
		}
	}
}

// Stop ends the process: politely, and after 5 seconds or when the context is over by
// force. It may be called more than once.
func (s *Server) Stop(ctx context.Context) error {
	if runtime.GOOS == "windows" {
		_ = s.process.Process.Kill()
	} else {
		_ = s.process.Process.Signal(os.Interrupt)
	}
	select {
	case <-s.exited:
		return nil
	case <-ctx.Done():
	case <-time.After(5 * time.Second):
	}
	err := s.process.Process.Kill()
	<-s.exited
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	return err
}

// Log is what Jaeger logged, its last 16 KiB.
func (s *Server) Log() string {
	text, _ := os.ReadFile(s.log)
	return string(text[max(len(text)-16<<10, 0):])
}

// environment is ours without OTEL_*. Jaeger traces its own API to the OTLP port that
// all programs use, and takes long to stop when no server listens there: it shall not.
func environment() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OTEL_") }),
		"OTEL_TRACES_SAMPLER=always_off")
}

// A port is given once. It is none of those that systems give to who asks for any, as other
// tests do all the time.
const firstPort, manyPorts = 25_000, 5_000

var nextPort atomic.Int64

func init() { nextPort.Store(rand.Int64N(manyPorts)) }

// freePorts returns loopback addresses that no program listened on a moment ago.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range manyPorts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+nextPort.Add(1)%manyPorts))
		if err != nil {
			continue
		}
		ports = append(ports, l.Addr().String())
		if l.Close(); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("jaeger: got %d free ports, want %d", len(ports), n)
}
