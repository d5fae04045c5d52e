// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"testing"
)

// TestMain turns recording off: sessions are recorded in the home of who runs the tests. Tests of recordings turn it on.
func TestMain(m *testing.M) {
	if err := os.Setenv("TOOLSCOPE_RECORD", "off"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
