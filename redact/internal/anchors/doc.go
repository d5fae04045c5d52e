// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package anchors finds where in a text something may begin that has to be looked at: literals,
// such as the prefixes of tokens, and runs of digits and words that have a telling head. It does
// not know what they mean.
//
// It folds bytes to 32 classes and looks at three bytes at a time, eight places in one step.
package anchors
