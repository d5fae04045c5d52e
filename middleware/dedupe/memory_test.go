// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
)

// The memory of the arguments is the caller's again once it has left, though the run goes on; and
// those of a run that is remembered are not the caller's either.
func TestTheRunHasArgumentsOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{}, reads)
		release := make(chan struct{})
		b.tool = func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			<-release
			return toolkit.Result{Output: string(c.Arguments)}, nil
		}
		leaving, leave := context.WithCancel(batch)
		arguments := []byte(`{"of":"a"}`)
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := b.handle(leaving, toolkit.Call{Name: "read", Arguments: arguments}); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: got %v, want that it left", err)
			}
			copy(arguments, `{"of":"b"}`)
		})
		synctest.Wait()
		all.Go(func() {
			if res, _ := b.handle(batch, call("", "read", `{"of":"a"}`)); res.Output != `{"of":"a"}` {
				t.Errorf("the second: got %s", res.Output)
			}
		})
		synctest.Wait()
		leave()
		synctest.Wait()
		close(release)
		all.Wait()

		arguments = []byte(`{"of":"c"}`) // of a caller that cannot leave
		if out, _ := b.do(batch, toolkit.Call{Name: "read", Arguments: arguments}); out != `{"of":"c"}` {
			t.Errorf("got %s", out)
		}
		copy(arguments, `{"of":"d"}`)
		b.want(t, batch, call("", "read", `{"of":"c"}`), `{"of":"c"}`, repeated)
		b.want(t, batch, call("", "read", `{"of":"d"}`), `{"of":"d"}`, executed)
	})
}
