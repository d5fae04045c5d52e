// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is the servers, too: what this variable names.
const roleEnv = "TOOLSCOPE_TEST_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		serve(role)
		return
	}
	goleak.VerifyTestMain(m)
}
