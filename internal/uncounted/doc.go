// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package uncounted leaves a call out of the statistics that a layer records as a part of another call, such
// as a round of an MCP call.
package uncounted
