// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

// NewRingOf makes a ring with a limit of bytes that tests can reach.
var NewRingOf = newRing

// MaxWaiting is how many spans a console lets wait.
const MaxWaiting = maxWaiting
