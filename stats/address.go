// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"unsafe"

	"github.com/toolscope/toolscope/toolkit"
)

// Addresses are used as numbers to spread things by, here and nowhere else in this package:
// no pointer is ever made of one.

// spreadHash is 2^64 divided by the golden ratio: an odd number whose bits are well mixed.
const spreadHash = 0x9E3779B97F4A7C15

// address is a number that differs between definitions that are alive.
func address(d *toolkit.Definition) uint64 { return uint64(uintptr(unsafe.Pointer(d))) }
