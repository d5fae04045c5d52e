// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package expect checks sessions against expectations in YAML, and against an earlier session.
//
// [Read] reads a file of expectations. [Expectations.Check] compares a session with it; the checks can be written as text,
// JSON, JUnit and SARIF.
package expect
