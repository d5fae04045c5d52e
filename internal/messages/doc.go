// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package messages makes one text of the texts of errors that differ in numbers, names and addresses
// only, so that they can be counted together.
package messages
