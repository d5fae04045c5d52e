// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jaeger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// A Trace is one trace as the API tells it.
type Trace struct {
	TraceID   string
	Spans     []Span
	Processes map[string]Process
	Warnings  []string
}

// A Span is one span as the API tells it.
type Span struct {
	TraceID       string
	SpanID        string
	OperationName string
	References    []Reference
	StartTime     int64 // microseconds since 1970
	Duration      int64 // microseconds
	Tags          []Tag
	Logs          []Log
	ProcessID     string
	Warnings      []string
}

// A Reference is a parent (CHILD_OF) or a link (FOLLOWS_FROM).
type Reference struct{ RefType, TraceID, SpanID string }

// A Tag is an attribute.
type Tag struct {
	Key, Type string
	Value     any
}

// A Log is an event.
type Log struct {
	Timestamp int64
	Fields    []Tag
}

// A Process is a resource.
type Process struct {
	ServiceName string
	Tags        []Tag
}

// Tag is the value of the tag as text; ok is false if there is none.
func (s *Span) Tag(key string) (value string, ok bool) {
	for _, t := range s.Tags {
		if t.Key == key {
			return fmt.Sprint(t.Value), true
		}
	}
	return "", false
}

// Parent is the id of the span's parent in the same trace; "" for a root.
func (s *Span) Parent() string {
	for _, r := range s.References {
		if r.RefType == "CHILD_OF" && r.TraceID == s.TraceID {
			return r.SpanID
		}
	}
	return ""
}

// Services lists the services that Jaeger has spans of.
func (s *Server) Services(ctx context.Context) ([]string, error) {
	var services []string
	_, err := s.get(ctx, "/api/services", &services)
	return services, err
}

// Traces are the service's traces of the last hour, at most 10,000.
func (s *Server) Traces(ctx context.Context, service string) ([]Trace, error) {
	traces, _, err := s.RawTraces(ctx, service)
	return traces, err
}

// TracesWith are [Server.Traces] that have a span with all of the tags.
func (s *Server) TracesWith(ctx context.Context, service string, tags map[string]string) ([]Trace, error) {
	text, err := json.Marshal(tags)
	if err != nil {
		return nil, err
	}
	var traces []Trace
	_, err = s.get(ctx, "/api/traces?"+
		url.Values{"service": {service}, "limit": {"10000"}, "lookback": {"1h"}, "tags": {string(text)}}.Encode(), &traces)
	return traces, err
}

// RawTraces are [Server.Traces] together with the text of the answer, in which
// nothing that Jaeger stored is missing.
func (s *Server) RawTraces(ctx context.Context, service string) ([]Trace, []byte, error) {
	var traces []Trace
	raw, err := s.get(
		ctx, "/api/traces?"+url.Values{"service": {service}, "limit": {"10000"}, "lookback": {"1h"}}.Encode(),
		&traces,
	)
	return traces, raw, err
}

// Spans waits until the service has at least that many spans, and returns its traces
// and the text of the answer.
func (s *Server) Spans(ctx context.Context, service string, atLeast int) ([]Trace, []byte, error) {
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		traces, raw, err := s.RawTraces(ctx, service)
		n := 0
		for _, t := range traces {
			n += len(t.Spans)
		}
		if err == nil && n >= atLeast {
			return traces, raw, nil
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("jaeger: %d spans of %s, want %d (%v): %w", n, service, atLeast, err, ctx.Err())
		case <-poll.C:
		}
	}
}

// client keeps no connections: Jaeger waits for idle ones when it stops.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// get decodes the data of an answer into data, and returns the answer's text.
func (s *Server) get(ctx context.Context, path string, data any) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Query+path, nil)
	if err != nil {
		return nil, fmt.Errorf("jaeger: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("jaeger: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("jaeger: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("jaeger: GET %s: %s: %.200s", path, response.Status, text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // so that a whole number is read as it is written
	if err := decoder.Decode(&struct{ Data any }{data}); err != nil {
		return nil, fmt.Errorf("jaeger: GET %s: %w", path, err)
	}
	return text, nil
}

// Trace is one trace; an error if Jaeger has none of that id.
func (s *Server) Trace(ctx context.Context, id string) (Trace, error) {
	var traces []Trace
	if _, err := s.get(ctx, "/api/traces/"+url.PathEscape(id), &traces); err != nil {
		return Trace{}, err
	}
	if len(traces) != 1 {
		return Trace{}, fmt.Errorf("jaeger: got %d traces of the id %s, want 1", len(traces), id)
	}
	return traces[0], nil
}
