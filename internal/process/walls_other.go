// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package process

import (
	"fmt"
	"os/exec"
	"runtime"
)

// Confines reports whether [Walls.Reach] is enforced here.
func Confines() bool { return false }

// RefusesTCP reports whether [Reach.Offline] is enforced here.
func RefusesTCP() bool { return false }

func start(cmd *exec.Cmd, w Walls) error {
	if w != (Walls{}) {
		return fmt.Errorf("namespaces and Landlock are a matter of Linux, and this is %s", runtime.GOOS)
	}
	return cmd.Start()
}

// killMarked finds nothing: there is no /proc to look in.
func killMarked(string) int { return 0 }
