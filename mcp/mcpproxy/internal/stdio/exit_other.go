// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package stdio

import "os"

// exitOf is how a process ended.
func exitOf(s *os.ProcessState) Exit { return Exit{Code: s.ExitCode()} }
