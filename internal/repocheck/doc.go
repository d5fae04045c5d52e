// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package repocheck holds the tests that watch over the whole repository: what each
// package may import, licence headers, doc comments, the exported API against the
// listings in api/, the telemetry against docs/telemetry.md, and that nothing of one machine or any credential gets in.
package repocheck
