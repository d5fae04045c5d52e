// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package calllog reads call logs, which have a JSON object for each call on a line of its own, and adds them up.
//
// [Read] reads a line. A [Log] counts the calls of lines in bounded memory.
package calllog
