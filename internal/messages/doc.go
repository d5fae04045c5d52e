// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package messages normalises the texts of errors, so that those that differ in numbers, ids,
// paths, quoted text, times and addresses only are counted as one.
package messages
