// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain leaves the tests to make e2e, unless -run names one: they take a minute.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("TOOLSCOPE_E2E") != "1" && flag.Lookup("test.run").Value.String() == "" {
		fmt.Println("skipped: make e2e runs these tests")
		return
	}
	m.Run()
}
