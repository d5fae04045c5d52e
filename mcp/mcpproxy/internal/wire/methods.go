// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

// The methods that the proxy knows by name.
const (
	MethodInitialize = "initialize"
	MethodCallTool   = "tools/call"
	MethodListTools  = "tools/list"
	MethodCancelled  = "notifications/cancelled"
)
