// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain leaves the whole suite to `make e2e`, which takes longer than go test allows by default. Tests that are
// named by -run run without it as well. Recording is off: sessions are recorded in the home of who runs the tests. Tests
// of recordings turn it on.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("TOOLSCOPE_E2E") != "1" && flag.Lookup("test.run").Value.String() == "" {
		fmt.Println("skipped: the end-to-end tests of this package take more than ten minutes; make e2e runs them")
		return
	}
	if err := os.Setenv("TOOLSCOPE_RECORD", "off"); err != nil {
		panic(err)
	}
	m.Run()
}
