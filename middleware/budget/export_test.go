// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package budget

// Kept is how many accounts there are.
func (p *Policy) Kept() (n int) {
	for _, s := range p.scopes {
		n += s.accounts.Len()
	}
	return n
}
