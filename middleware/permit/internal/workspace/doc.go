// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package workspace tells paths inside a set of directories from those outside. It follows symbolic links.
package workspace
