// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package journal keeps records in a directory, and reads them back. What is in a record is the
// caller's.
//
// The directory holds files that are only ever appended to, each by one process: a line that says
// what it is, and the records. A process that dies in the middle of a record leaves it torn; it is
// the last one, since the next process begins a file of its own. Files beyond the limits of age and
// size are removed, the oldest first.
package journal
