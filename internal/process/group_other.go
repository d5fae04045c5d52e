// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package process

import (
	"errors"
	"fmt"
	"runtime"
)

// Supported fails where the descendants of a process could not be ended: on systems
// other than Unix.
func Supported() error {
	return fmt.Errorf("got the system %s, want a Unix one: without process groups a command's children would "+
		"outlive its time limit", runtime.GOOS)
}

func killGroup(int) error { return errors.ErrUnsupported }
