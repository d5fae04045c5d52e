// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package stdio is the proxy of a server that speaks over its standard input and output: a process and the pipes to
// it, whose bytes pass as they come, or a message at a time under policies.
package stdio
