// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package kinds is the registry of what is looked for: kinds of secrets and personal data, sets
// of them, and the form of a detector.
package kinds
