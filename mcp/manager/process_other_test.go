// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package manager_test

import "os/exec"

// detach does nothing: there are no groups to leave.
func detach(*exec.Cmd) {}
