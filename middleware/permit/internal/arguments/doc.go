// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package arguments reads the arguments of a call as rules see them, and evaluates conditions on them.
package arguments
