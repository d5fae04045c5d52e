// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

// Collide makes every key have one hash.
func Collide(d *Policy) { d.collide = true }
