// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package funcs

import (
	"errors"
	"fmt"
)

// An Error says why a function cannot be wrapped. Its operation is what the program called.
type Error struct {
	Operation string // with its package: "toolkit: ObserveFunc"
	Func      string // the function's type
	What      string
}

// Error is operation, function type and what is wrong.
func (e *Error) Error() string { return fmt.Sprintf("%s of a %s: %s", e.Operation, e.Func, e.What) }

// Renamed returns err as an error of another operation, if it is an [*Error]; else err itself.
func Renamed(operation string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{operation, e.Func, e.What}
}
