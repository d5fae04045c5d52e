// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package audit appends what was decided of calls to a file, one JSON object a line: every call
// that a policy refused, asked about, changed or let pass by a rule, and every request to a
// person with what became of it. Everything is redacted before it is written; arguments
// are known by their SHA-256 as well, so that a line can be tied to a call without
// holding what it said.
//
// Entries are a chain, so that [Verify] finds what was changed, removed, inserted or moved.
package audit
