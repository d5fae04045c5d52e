// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package programs knows what programs start: shells, interpreters, wrappers such as env and xargs,
// find -exec, and the options of other programs by which they start another. Most of it is tables. A program
// that no table knows is judged by the names of its options.
package programs
