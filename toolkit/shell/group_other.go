// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package shell

import (
	"errors"
	"fmt"
	"runtime"
)

// supported refuses systems where a command's descendants could not be killed.
func supported() error {
	return fmt.Errorf("shell: got the system %s, want a Unix one: without process groups a command's children would outlive its time limit", runtime.GOOS)
}

func killGroup(int) error { return errors.ErrUnsupported }
