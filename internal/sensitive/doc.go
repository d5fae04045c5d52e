// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sensitive lists the files that hold credentials, and those that programs execute when they start. The
// file tools, the permission gate and the sandbox share the list.
package sensitive
