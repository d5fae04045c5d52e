// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shield_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/internal/shield"
)

type name struct{}

// What is shielded goes on when its context ends, until the time after that is over.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("no time left")
		asked, ask := context.WithCancel(t.Context())
		end, release := shield.After(asked, time.Minute, cause)
		defer release()
		ctx := context.WithValue(shield.Until(asked, end), name{}, "value")
		shielded, cancel := context.WithTimeout(shield.Context(ctx), time.Hour)
		defer cancel()
		ask()
		start := time.Now()
		if shielded.Err() != nil || shielded.Value(name{}) != "value" {
			t.Errorf("got %v and %v, want it to go on with the values", shielded.Err(), shielded.Value(name{}))
		}
		<-shielded.Done()
		if took := time.Since(start); took != time.Minute || context.Cause(shielded) != cause {
			t.Errorf("got %v after %v", context.Cause(shielded), took)
		}
	})
}

// Without an end it does not end, and a release before the end ends nothing later.
func TestContextWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, ask := context.WithCancel(context.WithValue(t.Context(), name{}, "value"))
		_, release := shield.After(asked, time.Minute, nil)
		shielded := shield.Context(asked)
		release()
		ask()
		synctest.Wait()
		if shielded.Done() != nil || shielded.Value(name{}) != "value" {
			t.Errorf("got %v and %v, want no end", shielded.Done(), shielded.Value(name{}))
		}
	})
}
