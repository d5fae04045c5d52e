// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import "html/template"

// policyRow is a fact that policies told of calls, with its part of them.
type policyRow struct {
	PolicyCount
	First bool // of its key
	Part  float64
	Bar   template.HTML
	Href  string // leads to the calls
	Now   bool   // calls of it are shown
}

// pagePolicies is how many facts the page shows.
const pagePolicies = 40

// policyRows are the facts told of a tool's calls, or of all.
func policyRows(r *request, s *ToolStats) []policyRow {
	rows := make([]policyRow, 0, min(len(s.Policies), pagePolicies))
	before := ""
	for i, c := range head(s.Policies, pagePolicies) {
		selected := c.Key + "=" + c.Value
		row := policyRow{PolicyCount: c, First: i == 0 || c.Key != before, Part: part(c.Count, s.Calls),
			Href: r.href("policy", selected, "call", "") + "#calls", Now: r.query.text("policy") == selected}
		row.Bar = plotBar(row.Part, "of the calls")
		rows = append(rows, row)
		before = c.Key
	}
	return rows
}
