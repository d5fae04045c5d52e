// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/baseline"
)

func newBaseline(o baseline.Options, b *Builder) (middleware.Policy, error) {
	o.Approver = b.Approver
	b.Content = approverContent(b)
	switch {
	case b.ReadFile == nil:
		o.File = ""
	case o.File != "":
		o.File = b.Path(o.File)
	}
	return baseline.New(o)
}
