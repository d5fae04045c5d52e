// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package keys defines the span and metric attributes that more than one package writes, and those of the MCP
// packages, each once. The comment of a key is its meaning in docs/telemetry.md.
package keys
