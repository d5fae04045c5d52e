// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

// The headers that repeat what a message says, for those on the way who do not read it. Revision 2026-07-28
// (SEP-2243) has all of them and demands them of requests; revision 2025-06-18 has the first.
const (
	VersionHeader = "Mcp-Protocol-Version"
	MethodHeader  = "Mcp-Method"
	NameHeader    = "Mcp-Name"
	ParamPrefix   = "Mcp-Param-"     // and what the tool's schema says in x-mcp-header
	SessionHeader = "Mcp-Session-Id" // which no message repeats
)
