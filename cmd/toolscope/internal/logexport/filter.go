// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

// Filter selects calls. Fields left zero do not.
type Filter struct {
	// Tools are names, or beginnings of names followed by "*".
	Tools    []string
	Sessions []string
	Outcomes []toolkit.Outcome
	// ErrorsOnly selects calls that failed, and ErrorTypes those of these kinds.
	ErrorsOnly bool
	ErrorTypes []string
	// Since and Until bound the time at which calls ended: not before the first, and
	// before the second. A call without a time lies between no bounds.
	Since, Until time.Time
	// MinDuration selects calls that ran for as long.
	MinDuration time.Duration
}

func (f *Filter) fits(c *calllog.Call) bool {
	switch {
	case len(f.Tools) > 0 && !slices.ContainsFunc(f.Tools, func(pattern string) bool { return named(c.Tool, pattern) }),
		len(f.Sessions) > 0 && !slices.Contains(f.Sessions, c.Session),
		len(f.Outcomes) > 0 && !slices.Contains(f.Outcomes, c.Outcome),
		len(f.ErrorTypes) > 0 && !slices.Contains(f.ErrorTypes, c.ErrorType),
		f.ErrorsOnly && c.ErrorType == "",
		c.Duration < f.MinDuration,
		!f.Since.IsZero() && (c.End.IsZero() || c.End.Before(f.Since)),
		!f.Until.IsZero() && (c.End.IsZero() || !c.End.Before(f.Until)):
		return false
	}
	return true
}

// named reports whether a name is a pattern's.
func named(name, pattern string) bool {
	if beginning, found := strings.CutSuffix(pattern, "*"); found {
		return strings.HasPrefix(name, beginning)
	}
	return name == pattern
}
