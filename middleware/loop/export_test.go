// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

// Kept is how many sessions are remembered.
func (p *Policy) Kept() int { return p.histories.Len() }
