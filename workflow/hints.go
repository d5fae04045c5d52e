// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// describe is the definition of a workflow's tool. Its hints are never safer than those of the tools that its steps
// call. It has no cost and asks for no approval itself: its steps do. timeout is a run's: the tool has time for undos as well.
func describe(name string, d Definition, timeout time.Duration, tools []*toolkit.Definition) (toolkit.Definition, error) {
	def := toolkit.Definition{
		Name: name, Description: d.Description, Category: "workflow", CallsTools: true,
		ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, Destructive: toolkit.No, OpenWorld: toolkit.No,
		Risk: toolkit.RiskLow, Timeout: timeout + min(interpret.UndosLimit, math.MaxInt64-timeout), CacheTTL: -1, Resources: []string{},
	}
	if d.Input != nil {
		schema, err := json.Marshal(d.Input)
		if err != nil {
			return def, err
		}
		def.InputSchema = schema
	}
	unknown := false
	for _, t := range tools {
		def.ReadOnly = unless(def.ReadOnly, t.ReadOnly == toolkit.Yes)
		def.Idempotent = unless(def.Idempotent, t.ReadOnly == toolkit.Yes || t.Idempotent == toolkit.Yes)
		def.Destructive = worse(def.Destructive, t.Destructive, t.ReadOnly == toolkit.Yes)
		def.OpenWorld = worse(def.OpenWorld, t.OpenWorld, false)
		if slices.Index(risks, t.Risk) > slices.Index(risks, def.Risk) {
			def.Risk = t.Risk
		}
		unknown = unknown || t.Resources == nil
		def.Resources = append(def.Resources, t.Resources...)
	}
	slices.Sort(def.Resources)
	if def.Resources = slices.Compact(def.Resources); unknown {
		def.Resources = nil
	}
	return def, def.Validate()
}

// risks are in the order of harm. A tool that says nothing may be worse than low.
var risks = []toolkit.Risk{toolkit.RiskLow, "", toolkit.RiskMedium, toolkit.RiskHigh}

// unless is No for a tool that does not have the good property.
func unless(hint toolkit.Hint, good bool) toolkit.Hint {
	if good {
		return hint
	}
	return toolkit.No
}

// worse combines hints of a bad property: Yes if one is, unsaid if one says nothing.
func worse(hint, of toolkit.Hint, never bool) toolkit.Hint {
	switch {
	case of == toolkit.No || never || hint == toolkit.Yes:
		return hint
	}
	return of
}
