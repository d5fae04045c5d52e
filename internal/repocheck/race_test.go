// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package repocheck

import (
	"fmt"
	"testing"
)

// TestMain runs nothing with the race detector, which would only make checks of texts five times slower.
func TestMain(*testing.M) { fmt.Println("skipped: these checks run without the race detector") }
