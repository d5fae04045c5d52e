// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

const victimEnv = "TOOLSCOPE_SPOOL_VICTIM"

func victim() {}
