// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestOnlyTheToolsOwnFailuresAreStored: no kind but tool_error is.
func TestOnlyTheToolsOwnFailuresAreStored(t *testing.T) {
	for _, k := range append(toolkit.Kinds(), "db_down", "no such kind!") {
		if got, want := toolFault(&toolkit.Error{Kind: k}), k == toolkit.ErrTool || k == "db_down"; got != want {
			t.Errorf("%s: got the tool's own %t, want %t", string(k), got, want)
		}
	}
}
