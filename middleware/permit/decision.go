// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import "github.com/toolscope/toolscope/toolkit"

// A Door is where a decision came from.
type Door string

// The doors, in the order in which they stand.
const (
	DoorDenyList Door = "deny_list" // the built-in rules that deny
	DoorRules    Door = "rules"     // all other rules, and lines that are not understood
	DoorDefault  Door = "default"   // no rule spoke
)

// The names of what the gate decides by itself, beside those of the rules.
const (
	// ruleUnderstood asks where a shell command, or arguments that a rule speaks of, cannot
	// be understood.
	ruleUnderstood = "not_understood"
	// ruleCovered asks where a rule allows a part of a shell line only.
	ruleCovered = "not_covered"
)

// A Decision is what was decided of a call, and why.
type Decision struct {
	Effect Effect
	Door   Door
	// Rule is the name of the rule that decided; "" at DoorDefault.
	Rule string
	// Reason tells a person why. It may quote the arguments.
	Reason string
	// Message tells the model why it is refused, and what it can do; "" if it is not.
	Message string
	// Programs are the programs that a shell line starts, as written; nil for other
	// tools.
	Programs []string
	// Shadow says that the decision is recorded and not acted on.
	Shadow bool

	told *told
	runs execution
}

// told is what the call's record says of a decision: made once with the rules, so
// that nothing is allocated for calls that are let through.
type told struct {
	tags []toolkit.Tag
	note func(s *toolkit.Disposition)
}

// maxTags is how many tags a record has room for.
const maxTags = 16

func newTold(effect Effect, door Door, rule string, shadow bool) *told {
	t := &told{
		tags: []toolkit.Tag{{Key: "permission.decision", Value: effect.String()}, {Key: "permission.door", Value: string(door)}},
	}
	if rule != "" {
		t.tags = append(t.tags, toolkit.Tag{Key: "permission.rule", Value: rule})
	}
	if shadow {
		t.tags = append(t.tags, toolkit.Tag{Key: "permission.shadow", Value: "true"})
	}
	t.note = func(s *toolkit.Disposition) {
		if len(s.Tags)+len(t.tags) <= maxTags {
			s.Tags = append(s.Tags, t.tags...) // copied: the record writes over its own for the next call
		}
	}
	return t
}
