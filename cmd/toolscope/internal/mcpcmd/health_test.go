// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package mcpcmd

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

// A full disk was not reported: calls were missing in the log.
func TestAFullDiskIsTold(t *testing.T) {
	log, err := calllog.Open("/dev/full", calllog.Options{})
	if err != nil {
		t.Skip(err)
	}
	h := logHealth{log, "call log"}
	if c := h.Components(); len(c) != 1 || len(c[0].Problems) != 0 {
		t.Errorf("got %+v, want no problem of a log without calls", c)
	}
	now := time.Now()
	log.End(
		context.Background(),
		&toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "t"}, Start: now}, Start: now, End: now},
	)
	if err := log.Close(); err == nil {
		t.Error("got no error of a full disk")
	}
	c := h.Components()
	if len(c) != 1 || len(c[0].Problems) != 1 || !strings.Contains(c[0].Problems[0], "no space left") ||
		c[0].Figures[0].Value != 0 ||
		c[0].Figures[1].Value != 1 {
		t.Errorf("got %+v, want the problem", c)
	}
	if got := h.lost(); !strings.HasPrefix(got, "--log: 1 of 1 call not written: ") ||
		!strings.Contains(got, "no space left") {
		t.Errorf("got %q", got)
	}
	if got := (logHealth{}).lost(); got != "" {
		t.Errorf("without a log: got %q", got)
	}
}
