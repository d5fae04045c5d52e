// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package arg has what the tools do with their arguments and answers alike.
package arg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Invalid is the error of an argument that is wrong.
func Invalid(field, got, want string) error {
	return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: field + ": got " + got + ", want " + want}
}

// Failed is the error of a tool that could not do what it was asked.
func Failed(text string) error { return &toolkit.Error{Kind: toolkit.ErrTool, Message: text} }

// Number is an argument that may be left out, within its bounds.
func Number(field string, given *int, standard, least, most int) (int, error) {
	switch {
	case given == nil:
		return standard, nil
	case *given < least || *given > most:
		return 0, Invalid(field, fmt.Sprint(*given), fmt.Sprintf("%d to %d", least, most))
	}
	return *given, nil
}

// leastTime is the shortest time limit, so that a program can at least begin.
const leastTime = 10 * time.Millisecond

// TimeLimit is the argument timeout_seconds: the model may ask for less than the application's limit, not
// for more.
func TimeLimit(given *float64, longest time.Duration) (time.Duration, error) {
	switch {
	case given == nil:
		return longest, nil
	case !(*given > 0):
		return 0, Invalid("timeout_seconds", fmt.Sprintf("%g", *given), "a number above 0")
	case *given >= longest.Seconds():
		return longest, nil
	}
	return max(leastTime, time.Duration(*given*float64(time.Second))), nil
}

// JSON writes an answer as people and models read it, "<" included.
func JSON(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: "the result cannot be written as JSON", Cause: err}
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
