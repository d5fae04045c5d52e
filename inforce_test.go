// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"fmt"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
)

// failing is a policy of an application whose figures panic.
type failing struct{ middleware.Policy }

func (failing) Figures(report func(string, float64)) {
	report("before", 1)
	panic("no figures")
}

// The health report has the figures of each policy that counts, and survives one that panics.
func TestFiguresOfPoliciesAreComponents(t *testing.T) {
	limits, err := limit.New(limit.Options{Concurrency: limit.Concurrency{Global: 2}})
	if err != nil {
		t.Fatal(err)
	}
	own := failing{middleware.At(middleware.StageCache, func(next toolkit.Handler) toolkit.Handler { return next })}
	scope, err := New(Options{NoTracing: true, NoMetrics: true, Policies: []middleware.Policy{limits, own}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = scope.Shutdown(t.Context()) }()
	got := map[string]string{}
	for _, c := range (inForce{scope}).Components() {
		got[c.Name] = fmt.Sprint(c.Figures, len(c.Problems))
	}
	for name, want := range map[string]string{
		"cache": "[{before 1}] 1",
		"limit": "[{running 0} {waiting 0} {abandoned 0} {forgotten 0} {unkeyed 0}] 0",
	} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
}
