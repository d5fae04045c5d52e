// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package temporal has the tests of workflow/temporal with a real server.
package temporal
