// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"testing"

	"github.com/toolscope/toolscope/toolkit"
)

// TestEachKindHasAStatus: the table of HTTP statuses has each kind, also those that get the status of
// unknown ones.
func TestEachKindHasAStatus(t *testing.T) {
	for _, k := range toolkit.Kinds() {
		if statuses[string(k)] == 0 {
			t.Errorf("%s: got no HTTP status in statuses (har.go), want one", string(k))
		}
	}
	if len(statuses) != len(toolkit.Kinds()) {
		t.Errorf("got %d statuses, want one for each of %d kinds", len(statuses), len(toolkit.Kinds()))
	}
}
