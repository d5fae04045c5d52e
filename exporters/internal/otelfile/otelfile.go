// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otelfile

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/contrib/otelconf"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Value is what a field of a file points to, or the fallback if the file omits the field.
func Value[P ~*T, T any](field P, fallback T) T {
	if field == nil {
		return fallback
	}
	return *field
}

// Resource is the default resource with the attributes of the file, which win. nil is the default resource.
func Resource(ctx context.Context, r *otelconf.Resource) (*resource.Resource, error) {
	if r == nil {
		return resource.DefaultWithContext(ctx), nil
	}
	attributes := resource.DefaultWithContext(ctx).Attributes()
	for _, a := range r.Attributes {
		attributes = append(attributes, keyValue(a.Name, a.Value))
	}
	return resource.New(ctx, resource.WithAttributes(attributes...), resource.WithSchemaURL(Value(r.SchemaUrl, "")))
}

func keyValue(key string, value any) attribute.KeyValue {
	switch value := value.(type) {
	case bool:
		return attribute.Bool(key, value)
	case int:
		return attribute.Int(key, value)
	case int64:
		return attribute.Int64(key, value)
	case float64:
		return attribute.Float64(key, value)
	}
	return attribute.String(key, fmt.Sprint(value)) // lists as well, as otelconf does
}

// Sampler is the sampler of the file; for nil it is OpenTelemetry's default.
func Sampler(s *otelconf.Sampler) (sdktrace.Sampler, error) {
	switch {
	case s == nil:
		return sdktrace.ParentBased(sdktrace.AlwaysSample()), nil
	case s.ParentBased != nil:
		return parentBased(s.ParentBased)
	case s.AlwaysOff != nil:
		return sdktrace.NeverSample(), nil
	case s.AlwaysOn != nil:
		return sdktrace.AlwaysSample(), nil
	case s.TraceIDRatioBased != nil:
		return sdktrace.TraceIDRatioBased(Value(s.TraceIDRatioBased.Ratio, 1)), nil
	}
	return nil, errors.New("tracer_provider.sampler: got none that is known, want one of always_off, always_on, " +
		"parent_based, trace_id_ratio_based")
}

func parentBased(s *otelconf.ParentBasedSampler) (sdktrace.Sampler, error) {
	root := sdktrace.AlwaysSample()
	var options []sdktrace.ParentBasedSamplerOption
	for _, part := range []struct {
		given *otelconf.Sampler
		use   func(sdktrace.Sampler)
	}{
		{s.Root, func(one sdktrace.Sampler) { root = one }},
		{s.RemoteParentSampled, func(one sdktrace.Sampler) {
			options = append(options, sdktrace.WithRemoteParentSampled(one))
		}},
		{s.RemoteParentNotSampled, func(one sdktrace.Sampler) {
			options = append(options, sdktrace.WithRemoteParentNotSampled(one))
		}},
		{s.LocalParentSampled, func(one sdktrace.Sampler) {
			options = append(options, sdktrace.WithLocalParentSampled(one))
		}},
		{s.LocalParentNotSampled, func(one sdktrace.Sampler) {
			options = append(options, sdktrace.WithLocalParentNotSampled(one))
		}},
	} {
		if part.given == nil {
			continue
		}
		one, err := Sampler(part.given)
		if err != nil {
			return nil, err
		}
		part.use(one)
	}
	return sdktrace.ParentBased(root, options...), nil
}

// Limits are the limits of the file; what it omits has OpenTelemetry's default.
func Limits(l *otelconf.SpanLimits) sdktrace.SpanLimits {
	limits := sdktrace.NewSpanLimits()
	if l == nil {
		return limits
	}
	limits.AttributeCountLimit = Value(l.AttributeCountLimit, limits.AttributeCountLimit)
	limits.AttributeValueLengthLimit = Value(l.AttributeValueLengthLimit, limits.AttributeValueLengthLimit)
	limits.EventCountLimit = Value(l.EventCountLimit, limits.EventCountLimit)
	limits.LinkCountLimit = Value(l.LinkCountLimit, limits.LinkCountLimit)
	limits.AttributePerEventCountLimit = Value(l.EventAttributeCountLimit, limits.AttributePerEventCountLimit)
	limits.AttributePerLinkCountLimit = Value(l.LinkAttributeCountLimit, limits.AttributePerLinkCountLimit)
	return limits
}
