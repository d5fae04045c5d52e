// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package permit is the policy that decides before a call reaches a tool: allow, ask
// a person, or deny. The model proposes; rules on this side decide.
//
//	rules, err := permit.Load("permit.yaml")
//	gate, err := permit.New(permit.Options{Rules: rules, Approver: true})
//	handle := middleware.Wrap(registry.Handle, gate, approvals)
//
// Three doors stand in a row, and a decision tells which one it came from: the hard
// deny list, the rules, and the person, who is asked by the Approve policy behind the
// gate. Deny wins over ask, ask over allow; what no rule speaks of is allowed unless
// [Spec].Default says otherwise. Without an Approve policy what would be asked is denied.
//
// Shell commands are parsed, not matched as text (package bash): a rule that denies or
// asks speaks if any command of the line is meant, wherever it hides; a rule that allows
// speaks only if every command of the line is allowed, nothing is written, set or left
// in the background, and nothing is in doubt. A line that cannot be understood is asked.
//
// Rules are a [Spec] in code or a YAML file; docs/permission.md describes the fields.
// They are compiled once and replaced at run time by [Policy.Set]. The gate decides what is
// proposed: what a program does once it runs is not seen. An allowed line runs as the gate prints it, and toolscope's
// shell tools keep it to what the rule and the profiles of its programs allow. Tools keep their own
// limits on paths, which no approval widens.
package permit
