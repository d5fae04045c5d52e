// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package gate decides which HTTP requests are answered.
package gate
