// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

// The methods that the proxy knows by name.
const (
	methodInitialize = "initialize"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodCancelled  = "notifications/cancelled"
)
