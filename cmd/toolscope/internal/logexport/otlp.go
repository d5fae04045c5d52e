// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/calllog"
)

// OTLP says where spans go. What the standard variables OTEL_EXPORTER_OTLP_* say of
// headers, certificates, compression and timeouts holds.
type OTLP struct {
	Endpoint string // a URL such as http://localhost:4317; "" is what the variables say
	HTTP     bool   // protobuf over HTTP; else gRPC
	Service  string // service.name of the spans
	Version  string // of the program that exports
}

// The bounds of what is sent at once. Receivers refuse messages of more than 4 MiB by
// default.
const (
	maxBatchSpans = 512
	maxBatchBytes = 2 << 20
)

// NewOTLP sends each call as a span, as the OpenTelemetry conventions for tools have it. A
// call's ids are those of its line; without, they are made from what is known of the
// call, so that a second export of the same log, redacted in the same way, has the same
// spans again, and a trace is the calls of a session in one hour. ctx ends the sending.
func NewOTLP(ctx context.Context, o OTLP) (Sink, error) {
	protocol := "grpc"
	if o.HTTP {
		protocol = "http/protobuf"
	}
	client, err := exporters.TraceClient(o.Endpoint, protocol)
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	return newOTLP(ctx, client, o), nil
}

func newOTLP(ctx context.Context, client otlptrace.Client, o OTLP) *otlpSink {
	return &otlpSink{ctx: ctx, client: client, ids: newIdentities(),
		resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text("service.name", o.Service)}},
		scope: &commonpb.InstrumentationScope{
			Name: "github.com/toolscope/toolscope/cmd/toolscope/internal/logexport", Version: o.Version,
		},
	}
}

type otlpSink struct {
	ctx      context.Context
	client   otlptrace.Client
	ids      *identities
	resource *resourcepb.Resource
	scope    *commonpb.InstrumentationScope
	spans    []*tracepb.Span
	bytes    int
	sent     uint64
}

func (s *otlpSink) Add(c *calllog.Call) error {
	if c.End.IsZero() {
		return ErrNoTime
	}
	span := spanOf(c, s.ids)
	s.spans = append(s.spans, span)
	s.bytes += proto.Size(span)
	if len(s.spans) >= maxBatchSpans || s.bytes >= maxBatchBytes {
		return s.send()
	}
	return nil
}

// send hands the batch over, and waits until it was taken.
func (s *otlpSink) send() error {
	if len(s.spans) == 0 {
		return nil
	}
	err := s.client.UploadTraces(
		s.ctx,
		[]*tracepb.ResourceSpans{{
			Resource: s.resource, ScopeSpans: []*tracepb.ScopeSpans{{Scope: s.scope, Spans: s.spans}},
		}},
	)
	if err != nil {
		return fmt.Errorf("sending calls %d to %d: %w", s.sent+1, s.sent+uint64(len(s.spans)), err)
	}
	s.sent += uint64(len(s.spans))
	s.spans, s.bytes = nil, 0
	return nil
}

func (s *otlpSink) Close() error {
	err := s.send()
	return errors.Join(err, s.client.Stop(context.WithoutCancel(s.ctx)))
}
