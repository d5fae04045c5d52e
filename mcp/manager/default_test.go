// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"time"
)

func TestRequestsHaveThirtySeconds(t *testing.T) {
	o, err := Options{}.resolve()
	if err != nil || o.RequestTimeout != 30*time.Second {
		t.Errorf("got %v, %v, want 30s", o.RequestTimeout, err)
	}
}
