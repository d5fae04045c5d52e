// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import "context"

// AskAgain makes the store's next use tell the server its secrets, as if the time for it had come.
func (s *Store) AskAgain() { s.secrets.asked.Store(0) }

// LookAgain is AskAgain, and the time to look whether the server evicts keys has come as well.
func (s *Store) LookAgain() {
	s.evictionAsked.Store(0)
	s.AskAgain()
}

// CheckNow asks the server as a store does each second while the server fails.
func (s *Store) CheckNow() { s.circuit.check() }

// DoLater does what a check that finds the server usable comes before.
func (s *Store) DoLater(do func(context.Context) error) { s.circuit.doLater(do) }
