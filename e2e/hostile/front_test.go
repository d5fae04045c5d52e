// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// manner is how a destination behaves.
type manner struct {
	refuse  bool          // every connection is closed at once
	mute    bool          // connections are taken and nothing is said
	garbage bool          // every connection gets noise
	cut     int64         // connections are closed after so many bytes; 0 for never
	wait    time.Duration // before each answer
	code    codes.Code    // of each answer
}

// destination is a collector behind a door that can misbehave.
type destination struct {
	address string
	manner  atomic.Pointer[manner]
	spans   atomic.Int64

	tracepb.UnimplementedTraceServiceServer
	door, inside net.Listener
	server       *grpc.Server
	done         sync.WaitGroup
	mu           sync.Mutex
	open         map[net.Conn]bool
}

func newDestination() (*destination, error) {
	d := &destination{open: map[net.Conn]bool{}}
	d.manner.Store(new(manner))
	var err error
	if d.inside, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if d.door, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	d.address = d.door.Addr().String()
	d.server = grpc.NewServer(grpc.MaxRecvMsgSize(4 << 20))
	tracepb.RegisterTraceServiceServer(d.server, d)
	d.done.Go(func() { _ = d.server.Serve(d.inside) })
	d.done.Go(d.accept)
	return d, nil
}

// be makes the destination behave so; connections that are open are closed, as by a restart.
func (d *destination) be(m manner) {
	d.manner.Store(&m)
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		c.Close()
	}
}

func (d *destination) close() {
	d.door.Close()
	d.be(manner{refuse: true})
	d.server.Stop()
	d.done.Wait()
}

// Export takes spans.
func (d *destination) Export(
	ctx context.Context, r *tracepb.ExportTraceServiceRequest,
) (*tracepb.ExportTraceServiceResponse, error) {
	m := d.manner.Load()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(m.wait):
	}
	if m.code != codes.OK {
		return nil, status.Error(m.code, "as asked")
	}
	for _, rs := range r.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			d.spans.Add(int64(len(ss.GetSpans())))
		}
	}
	return new(tracepb.ExportTraceServiceResponse), nil
}

func (d *destination) accept() {
	for {
		c, err := d.door.Accept()
		if err != nil {
			return
		}
		d.done.Go(func() { d.serve(c) })
	}
}

func (d *destination) serve(c net.Conn) {
	d.mu.Lock()
	d.open[c] = true
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.open, c)
		d.mu.Unlock()
		c.Close()
	}()
	switch m := d.manner.Load(); {
	case m.refuse:
	case m.mute:
		_, _ = io.Copy(io.Discard, c)
	case m.garbage:
		noise := make([]byte, 4096)
		_, _ = rand.Read(noise)
		_, _ = c.Write(noise)
	default:
		d.forward(c, m.cut)
	}
}

// forward joins a connection with the collector; it is cut after so many bytes of the client's, unless that is 0.
func (d *destination) forward(c net.Conn, cut int64) {
	back, err := net.Dial("tcp", d.inside.Addr().String())
	if err != nil {
		return
	}
	defer back.Close()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(c, back); c.Close() })
	both.Go(func() {
		if cut > 0 {
			_, _ = io.CopyN(back, c, cut)
		} else {
			_, _ = io.Copy(back, c)
		}
		back.Close()
	})
	both.Wait()
}
