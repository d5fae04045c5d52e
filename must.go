// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

// Must returns v, or panics with err if err is not nil. It is for the start of a program, where a
// wrong configuration should end it:
//
//	scope := toolscope.Must(toolscope.New(toolscope.Options{}))
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
