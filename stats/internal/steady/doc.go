// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package steady has a clock that never goes back, so that what a recorder has counted, and how
// long ago, does not depend on how the system clock is set.
package steady
