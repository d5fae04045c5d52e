// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/toolscope/toolscope/internal/counters"
	"github.com/toolscope/toolscope/toolkit"
)

// backgrounds observes runs in the background; one that panics gets no further notice.
type backgrounds struct {
	funcs
	name   string
	panics bool
	told   *[]string
}

func (b backgrounds) BeginBackground(
	ctx context.Context, call toolkit.Call, what string,
) (context.Context, func(toolkit.Result, error)) {
	if b.panics {
		panic("an observer's")
	}
	*b.told = append(*b.told, fmt.Sprint(b.name, " begins a ", what, " of ", call.Name))
	return context.WithValue(ctx, key(b.name), true), func(res toolkit.Result, err error) {
		*b.told = append(*b.told, fmt.Sprint(b.name, " ends with ", res.Output, err))
	}
}

type key string

func TestRunsInTheBackgroundAreToldApart(t *testing.T) {
	var told []string
	observers := []toolkit.Observer{
		backgrounds{name: "a", told: &told}, funcs{}, backgrounds{panics: true},
		backgrounds{name: "b", told: &told},
	}
	var fork toolkit.Record
	call := toolkit.Call{Name: "read"}
	_, _ = toolkit.Observe(nil, observers...)(func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
		fork = c.Record.Fork()
		return toolkit.Result{}, nil
	})(t.Context(), call)
	before := counters.ObserverPanics.Load()
	ctx, end := fork.BeginBackground(t.Context(), call, "renewal") // the call has ended
	if ctx.Value(key("a")) != true || ctx.Value(key("b")) != true || counters.ObserverPanics.Load() != before+1 {
		t.Error("the context is not that of both observers, or the panic is not counted")
	}
	end(toolkit.Result{Output: "out "}, errors.New("no"))
	want := []string{"a begins a renewal of read", "b begins a renewal of read", "b ends with out no", "a ends with out no"}
	if !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
	ctx, end = toolkit.Record{}.BeginBackground(t.Context(), call, "renewal")
	if end(toolkit.Result{}, nil); ctx != t.Context() {
		t.Error("without a record: the context is another")
	}
}
