// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package rules finds the tokens and keys that issuers gave a form of their own.
//
// Most have a prefix: tokentable.go lists them, one rule a line. To add one, add a line; the tests
// make up samples of it.
package rules
