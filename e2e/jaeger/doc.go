// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package jaeger builds, starts, stops and reads a real Jaeger for tests:
//
//	binary, err := jaeger.Build(ctx)
//	server, err := jaeger.Start(ctx, binary, t.TempDir())
//	defer server.Stop(ctx)
//	traces, err := server.Traces(ctx, "my-service")
//
// It listens on free loopback ports and keeps its traces in memory.
package jaeger
