// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package filelock has one process at a time do something: the one that holds the lock of a file. The system unlocks
// a file that is closed, so a process that is killed leaves no lock.
package filelock

import "errors"

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("the file is locked by another process")
