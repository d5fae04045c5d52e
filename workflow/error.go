// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import "fmt"

// An Error is one thing that is wrong with definitions.
type Error struct {
	Field string // path, such as research.steps[0].call
	Got   string // what was found or, if Want is "", the whole message
	Want  string
}

// Error is "workflow: FIELD: got X, want Y".
func (e *Error) Error() string {
	if e.Want == "" {
		return fmt.Sprintf("workflow: %s: %s", e.Field, e.Got)
	}
	return fmt.Sprintf("workflow: %s: got %s, want %s", e.Field, e.Got, e.Want)
}
