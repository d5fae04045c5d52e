// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import "time"

// An Event is one line. Members that say nothing are left out.
type Event struct {
	Time time.Time `json:"time"` // when the call ended, or the request was opened or closed
	// Kind is "call" (a call ended), "approval" (a request to a person was opened, approved by the first of two, or
	// closed), or "stop" (a person used the kill switch).
	Kind string `json:"event"`

	Tool      string `json:"tool"`                       // name of the tool
	CallID    string `json:"call_id,omitempty"`          // the model's id of the call
	Session   string `json:"session,omitempty"`          // session id
	Tenant    string `json:"tenant,omitempty"`           // tenant of the session
	Agent     string `json:"agent,omitempty"`            // name of the agent
	Turn      int    `json:"turn,omitempty"`             // number of the model's turn
	Span      string `json:"span,omitempty"`             // trace id and span id, in hex
	Arguments string `json:"arguments,omitempty"`        // redacted arguments, at most 4 KiB
	SHA256    string `json:"arguments_sha256,omitempty"` // SHA-256 of the arguments as the model sent them, in hex

	// Of a call.

	Outcome    string            `json:"outcome,omitempty"`     // executed, cache_hit, coalesced, repeated or refused
	ErrorType  string            `json:"error_type,omitempty"`  // error.type of a failed or refused call
	Error      string            `json:"error,omitempty"`       // redacted text of the error, at most 1 KiB
	Tags       map[string]string `json:"tags,omitempty"`        // tags that policies recorded, such as permission.decision
	ApprovalMS float64           `json:"approval_ms,omitempty"` // wait for an approval, in milliseconds
	DurationMS float64           `json:"duration_ms,omitempty"` // duration of the call, in milliseconds

	// Of a request to a person.

	Request string `json:"request,omitempty"` // id of the request
	Digest  string `json:"digest,omitempty"`  // what the answer is bound to
	State   string `json:"state,omitempty"`   // pending, approved, rejected, expired, withdrawn, stopped, resumed
	Trigger string `json:"trigger,omitempty"` // why a person is asked: rule, tool, risk, arguments or host
	Rule    string `json:"rule,omitempty"`    // name of the rule that asks
	Reason  string `json:"reason,omitempty"`  // why a person is asked, in words
	By      string `json:"by,omitempty"`      // name of the person or pattern that answered
	Note    string `json:"note,omitempty"`    // text that came with the answer
}
