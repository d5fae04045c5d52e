// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package validate checks a call's arguments against the tool's JSON Schema before a
// rule, a person or the tool sees them, and answers a model that got them wrong with
// what is wrong, where, and what is allowed.
package validate
