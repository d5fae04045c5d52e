// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

// Policy is the type of the policies that [New] makes.
type Policy = policy
