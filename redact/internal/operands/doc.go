// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package operands finds the value that stands beside a name, in the notations of shells,
// configuration files, source code, YAML, JSON, XML, headers, URLs, calls and sentences.
package operands
