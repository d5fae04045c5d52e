// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
)

// inForce reports the policies of a scope and how many calls wait for approval, for the dashboard.
type inForce struct{ scope *Scope }

// Components reports the policies in force by their stages, outermost first, then the figures of each policy that has
// some, and the open requests for approval if there is a policy that makes them.
func (f inForce) Components() []stats.Component {
	policies := stats.Component{Name: "policies"}
	for _, p := range f.scope.rules.Load().policies {
		name := p.Stage().String()
		if n := len(policies.Figures); n > 0 && policies.Figures[n-1].Name == name {
			policies.Figures[n-1].Value++
		} else {
			policies.Figures = append(policies.Figures, stats.Figure{Name: name, Value: 1})
		}
	}
	components := []stats.Component{policies}
	for _, p := range f.scope.rules.Load().policies {
		if r, ok := p.(middleware.Reporter); ok {
			components = append(components, componentOf(p.Stage().String(), r))
		}
	}
	if p := f.scope.approvePolicy(); p != nil {
		pending := stats.Figures{{Name: "pending", Value: float64(len(p.Pending()))}}
		components = append(components, stats.Component{Name: "approvals", Figures: pending, Problems: p.Problems()})
	}
	return components
}

// componentOf reports the figures of a policy. One that panics has those reported before.
func componentOf(name string, r middleware.Reporter) (c stats.Component) {
	defer func() {
		if v := recover(); v != nil {
			c.Problems = []string{"the policy panicked when it was asked for its figures"}
		}
	}()
	c.Name = name
	if p, ok := r.(interface{ Problems() []string }); ok {
		c.Problems = p.Problems()
	}
	r.Figures(func(name string, value float64) {
		c.Figures = append(c.Figures, stats.Figure{Name: name, Value: value})
	})
	return c
}
