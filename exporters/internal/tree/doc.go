// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package tree draws the spans of a trace as a tree that a person can read.
package tree
