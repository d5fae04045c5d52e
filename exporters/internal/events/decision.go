// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package events

import "go.opentelemetry.io/otel/attribute"

// Attributes of the events.
const (
	keyCallID  = attribute.Key("gen_ai.tool.call.id")               // the model's id of the call
	keyOutcome = attribute.Key("gen_ai.tool.call.decision.outcome") // allow, deny or require_approval
)

// The proposal's outcomes.
const (
	allow           = "allow"
	deny            = "deny"
	requireApproval = "require_approval"
)

// What the policies permit and approve record on a span (internal/policies has the list).
const (
	keyPermission = attribute.Key("toolscope.permission.decision")
	keyShadow     = attribute.Key("toolscope.permission.shadow")
	keyTrigger    = attribute.Key("toolscope.approval.trigger")
	keyApproval   = attribute.Key("toolscope.approval")
)

// decisions are the outcomes that the policies came to, in order: the permission rules', that a person must
// approve, and the person's answer. A decision that was not enforced is none.
func decisions(list []attribute.KeyValue) (outcomes []string) {
	if find(list, keyShadow) == "" {
		switch find(list, keyPermission) {
		case "allow":
			outcomes = append(outcomes, allow)
		case "deny":
			outcomes = append(outcomes, deny)
		case "ask":
			outcomes = append(outcomes, requireApproval)
		}
	}
	if find(list, keyTrigger) != "" && (len(outcomes) == 0 || outcomes[0] != requireApproval) {
		outcomes = append(outcomes, requireApproval)
	}
	switch find(list, keyApproval) {
	case "", "deferred", "pending": // not answered yet
	case "approved", "pattern":
		outcomes = append(outcomes, allow)
	default: // rejected, expired, or no person can be asked: the call does not run
		outcomes = append(outcomes, deny)
	}
	return outcomes
}
