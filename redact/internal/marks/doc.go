// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package marks makes and recognises what stands for a removed value.
package marks
