// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package names says what the name of a value tells of it: that any value is a secret, that one
// which looks drawn by chance is, or nothing. Names are those of variables, members of JSON,
// options and headers.
package names
