// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package memo remembers what was computed for keys that come again and again, such as
// definitions of tools and names of members, in memory of a fixed size.
//
// A [Table] is shared: it takes no lock, and finding something allocates nothing. A [Local]
// belongs to one goroutine at a time, and allocates nothing at all.
//
// Both have one slot for each of a few upper bits of a hash, which the caller makes with
// [Pointer], [String] or [Mix]. A key may take the slot of another one, whose value is then
// computed again: a memo forgets, and is never wrong, since whole keys are compared.
package memo
