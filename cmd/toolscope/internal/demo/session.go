// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/catalog"
)

type session struct {
	scope    *toolscope.Scope
	options  Options
	model    *model
	catalog  *catalog.Catalog
	executor *toolkit.Executor
	summary  Summary
}
