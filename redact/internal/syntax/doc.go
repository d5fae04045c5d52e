// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package syntax reads as much of JSON's syntax as finding strings and the ends of values takes,
// of text that may be no JSON, or cut off.
package syntax
