// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

// Collide makes every key of a store in memory have one hash.
func Collide(m *Memory) { m.collide = true }

// Bytes is how much the store in memory of c takes.
func Bytes(c *Policy) uint64 { return c.memory.Bytes() }
