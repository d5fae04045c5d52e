// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package mcpproxy

import "os"

// exitOf is how a process ended.
func exitOf(s *os.ProcessState) exitStatus { return exitStatus{Code: s.ExitCode()} }
