// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e holds tests that run toolscope against real servers. It is a module of its
// own, so that users of toolscope do not get its dependencies.
//
//	cd e2e && TOOLSCOPE_E2E=1 go test ./...
//
// With TOOLSCOPE_E2E=1 a server that is missing is built or is a failure. Without it the tests of this
// package are skipped, unless -run names them: then one whose server was never built is skipped and says so. Jaeger is a tool
// dependency of the module in tools/, which has a graph of its own: Jaeger v1.62.0 does not
// compile against the newer OpenTelemetry modules that toolscope requires.
package e2e
