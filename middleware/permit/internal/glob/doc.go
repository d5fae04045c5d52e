// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package glob matches names with patterns of * and ?.
package glob
