// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"fmt"
	"strings"
)

// An Error is one thing that is wrong in a file.
type Error struct {
	File  string
	Line  int    // from 1; 0 if it is about the whole file
	Field string // path, such as rules[2].effect; "" if it is about the whole file
	Got   string // what was found or, if Want is "", the whole message
	Want  string
}

// Error is "file:line: field: got X, want Y".
func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	if e.Want == "" {
		return at + ": " + e.Got
	}
	return fmt.Sprintf("%s: got %s, want %s", at, e.Got, e.Want)
}

// Or lists values for an error: "a, b or c".
func Or(values ...string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// Nearest returns the known name that is the fewest edits away from name, "" if that is more
// than a third of its letters.
func Nearest(name string, known []string) (nearest string) {
	if len(name) > 64 {
		return ""
	}
	least := max(1, (len(name)+1)/3) + 1
	for _, k := range known {
		if d := distance(name, k); d < least {
			nearest, least = k, d
		}
	}
	return nearest
}

// distance is the number of letters to insert, remove or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal, row[j+1] = row[j+1], min(changed, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
