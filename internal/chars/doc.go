// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package chars knows the classes of bytes, folds ASCII letters, and answers what strings are made of.
package chars
