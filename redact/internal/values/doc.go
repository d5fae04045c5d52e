// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package values judges whether the value beside a name that tells is a secret, or a reference, a
// placeholder, source code, or another word.
package values
