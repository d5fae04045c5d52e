// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import "context"

// Calculate is the tool calculator without the tool.
func Calculate(expression string) (string, error) { return calculate(expression) }

// Matches lists all matches, found by the search that can be stopped.
func Matches(ctx context.Context, pattern, text string) (list [][]int, err error) {
	s, err := newSearcher(pattern, false)
	if err != nil {
		return nil, err
	}
	err = s.each(ctx, text, func(m []int) bool {
		list = append(list, m)
		return true
	})
	return list, err
}
