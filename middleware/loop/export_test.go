// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

// Policy is the type of the policies that [New] makes.
type Policy = policy

// Kept is how many sessions are remembered.
func (p *policy) Kept() int { return p.histories.Len() }
