// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package cut shortens redacted text and JSON to a number of bytes. JSON stays valid, runes and
// marks are not cut in two.
package cut
