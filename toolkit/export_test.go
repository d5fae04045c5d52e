// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

// What tests from outside need of the inside.

const (
	MaxOpen       = maxOpen
	MaxErrorTypes = maxErrorTypes
)

// OpenCalls is how many calls begun by Begin are open.
func OpenCalls() int {
	open.mu.Lock()
	defer open.mu.Unlock()
	return open.calls.Len()
}

// NewAdmission is a fresh bound on the values of ErrorType methods.
func NewAdmission() func(string) string { return new(errorTypes).admit }

// ReadMembers and WriteMembers are the reader and writer of JSON objects, as the
// names and the values' texts.
func ReadMembers(text []byte) (names []string, values [][]byte, err error) {
	members, err := readMembers(text)
	for _, m := range members {
		names, values = append(names, m.name), append(values, m.value)
	}
	return names, values, err
}
