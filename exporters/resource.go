// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"errors"
	"runtime/debug"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// newResource says which program on which host this is. The command line, its
// owner and the executable's path are left out: they hold passwords, names and
// homes. A later detector wins over an earlier one.
func newResource(ctx context.Context, o *Options) (*resource.Resource, error) {
	var ours []attribute.KeyValue
	if o.ServiceName != "" {
		ours = append(ours, semconv.ServiceName(o.ServiceName))
	}
	if v := o.serviceVersion(); v != "" {
		ours = append(ours, semconv.ServiceVersion(v))
	}
	ours = append(ours, o.Attributes...)
	res, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithProcessPID(),
		resource.WithProcessExecutableName(),
		resource.WithProcessRuntimeName(),
		resource.WithProcessRuntimeVersion(),
		resource.WithService(),
		resource.WithAttributes(ours...),
		resource.WithFromEnv(),
	)
	if errors.Is(err, resource.ErrPartialResource) { // such as a host without a name: the rest is good
		err = nil
	}
	return res, err
}

func (o *Options) serviceVersion() string {
	if o.ServiceVersion != "" {
		return o.ServiceVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}
