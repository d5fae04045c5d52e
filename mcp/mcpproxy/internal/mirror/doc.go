// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mirror compares the headers of a request over HTTP with the message that they repeat (SEP-2243).
package mirror
