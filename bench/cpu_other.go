// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package bench

import "time"

// ProcessorTime is the processor time that this process has used; 0, since this system is
// not asked.
func ProcessorTime() time.Duration { return 0 }
