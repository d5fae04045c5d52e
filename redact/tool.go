// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
)

// ForTool is the redactor with the rules for one tool, and those for all. It is the
// receiver if no rule names a tool.
func (r *Redactor) ForTool(name string) *Redactor {
	r = r.orDefault()
	if r.tools == nil {
		return r
	}
	if v, ok := r.tools.byName.Load(name); ok {
		return v.(*Redactor)
	}
	view := *r.engine
	view.Rules, view.KindRules = rulesFor(r.tools.rules, name)
	if r.tools.n.Load() >= maxToolViews {
		return &Redactor{engine: &view}
	}
	v, loaded := r.tools.byName.LoadOrStore(strings.Clone(name), &Redactor{engine: &view})
	if !loaded {
		r.tools.n.Add(1)
	}
	return v.(*Redactor)
}
