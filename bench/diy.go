// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/toolkit"
)

// layer is what one usually writes: decode, mask by name, encode, two regular expressions
// over arguments and result, cut, span, metric, a histogram under a mutex.
type layer struct {
	tracer trace.Tracer
	metric metric.Float64Histogram
	tool   toolkit.Handler

	mu        sync.Mutex
	durations map[string]*hdrhistogram.Histogram
	errors    map[string]int
}

// HandWritten is the layer that a team writes for itself around the tool, with redaction
// and percentiles.
func HandWritten(tracers trace.TracerProvider, meters metric.MeterProvider, tool toolkit.Handler) toolkit.Handler {
	histogram, err := meters.Meter("bench").Float64Histogram("gen_ai.execute_tool.duration")
	if err != nil {
		panic(err) // the name is valid
	}
	l := &layer{
		tracer: tracers.Tracer("bench"), metric: histogram, tool: tool,
		durations: map[string]*hdrhistogram.Histogram{}, errors: map[string]int{},
	}
	return l.handle
}

func (l *layer) handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	start := time.Now()
	ctx, span := l.tracer.Start(ctx, "execute_tool "+call.Name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", call.Name),
		attribute.String("gen_ai.tool.call.id", call.ID),
		attribute.String("gen_ai.tool.type", "function"),
		attribute.String("gen_ai.agent.name", "planner"),
		attribute.Int("tool.arguments.size", len(call.Arguments)),
		attribute.Int("tool.attempt", 1),
		attribute.Bool("tool.cached", false)))
	defer span.End()
	span.SetAttributes(attribute.String("gen_ai.tool.call.arguments", short(maskJSON(call.Arguments))))
	res, err := l.tool(ctx, call)
	span.SetAttributes(attribute.String("gen_ai.tool.call.result", short(scrub(res.Output))))
	took, kind := time.Since(start), ""
	if err != nil || res.Fault != nil {
		kind = "tool_error"
		span.SetStatus(codes.Error, kind)
	}
	l.metric.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("gen_ai.operation.name", "execute_tool"),
		attribute.String("gen_ai.tool.name", call.Name), attribute.String("error.type", kind)))
	l.count(call.Name, took, kind, res.Output)
	return res, err
}

func (l *layer) count(tool string, took time.Duration, kind, output string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.durations[tool]
	if h == nil {
		h = hdrhistogram.New(1000, 200e9, 3)
		l.durations[tool] = h
	}
	_ = h.RecordValue(int64(took)) // what is out of range is not counted
	if kind != "" {
		l.errors[output]++
	}
}

var (
	secretPattern = regexp.MustCompile(`(?i)(?:api[_-]?key|secret|token)\s*[:=]\s*\S+`)
	bearerPattern = regexp.MustCompile(`(?i)bearer\s+[a-z0-9._~+/=-]{16,}`)
	secretNames   = []string{
		"password", "passwd", "secret", "token", "api_key", "apikey", "authorization", "cookie", "private_key",
	}
)

func scrub(s string) string {
	return bearerPattern.ReplaceAllString(secretPattern.ReplaceAllString(s, "[REDACTED]"), "[REDACTED]")
}

func maskJSON(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "[INVALID]"
	}
	out, err := json.Marshal(mask(v))
	if err != nil {
		return "[INVALID]"
	}
	return scrub(string(out))
}

func mask(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if isSecret(name) {
				v[name] = "[REDACTED]"
				continue
			}
			v[name] = mask(value)
		}
	case []any:
		for i, value := range v {
			v[i] = mask(value)
		}
	}
	return v
}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, s := range secretNames {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

func short(s string) string {
	const limit = 1024
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
