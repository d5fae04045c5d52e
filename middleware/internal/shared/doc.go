// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package shared is what policies have in common whose state several processes share: how a store that
// does not answer is recorded.
package shared
