// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"errors"
	"testing"

	"github.com/toolscope/toolscope"
)

func TestMustPanicsWithTheError(t *testing.T) {
	if got := toolscope.Must(1, nil); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
	want := errors.New("wrong")
	defer func() {
		if got := recover(); got != want {
			t.Errorf("got panic %v, want %v", got, want)
		}
	}()
	toolscope.Must(1, want)
}
