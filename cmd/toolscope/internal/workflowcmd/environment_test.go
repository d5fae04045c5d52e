// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflowcmd

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/stats"
)

// The ending of a step has the type of its error, unless that says the same.
func TestStepEndings(t *testing.T) {
	var b strings.Builder
	stepTable(stats.WorkflowRun{Log: []stats.WorkflowStep{
		{Step: "a", Status: "failed", ErrorType: "timeout"}, {Step: "b", Status: "canceled", ErrorType: "canceled"},
	}}).Print(&b, screen.Paint{})
	if got := b.String(); !strings.Contains(got, "failed (timeout)") || strings.Count(got, "canceled") != 1 {
		t.Errorf("got %s", got)
	}
}
