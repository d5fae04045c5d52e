// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// A lazyClient is an OTLP client that starts with the first spans: that of gRPC has
// goroutines from its start on.
type lazyClient struct {
	otlptrace.Client

	mu      sync.Mutex
	started bool
	stopped bool
	err     error // of the start
}

// Start does nothing.
func (*lazyClient) Start(context.Context) error { return nil }

// UploadTraces starts the client if it has not been, and sends. Its errors are explained.
func (c *lazyClient) UploadTraces(ctx context.Context, all []*tracepb.ResourceSpans) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	return spool.Explain(ctx, func(ctx context.Context) error { return c.Client.UploadTraces(ctx, all) })
}

func (c *lazyClient) start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started && !c.stopped {
		c.started = true
		c.err = c.Client.Start(ctx)
	}
	return c.err
}

// Stop stops the client if it was started.
func (c *lazyClient) Stop(ctx context.Context) error {
	c.mu.Lock()
	started := c.started && c.err == nil
	c.stopped = true
	c.mu.Unlock()
	if !started {
		return nil
	}
	return c.Client.Stop(ctx)
}
