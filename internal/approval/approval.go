// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package approval carries the approvals of one call from where they were given to the policy that needs them, for calls
// that are made again in another process: those of durable workflows.
package approval

import (
	"context"
	"slices"
	"sync"
)

// A Question is what the policy asks.
type Question struct {
	Digest  string `json:"digest"` // what the answer is bound to: approve.Digest
	Trigger string `json:"trigger"`
	Reason  string `json:"reason,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Risk    string `json:"risk,omitempty"`
	People  int    `json:"people"`            // how many have to approve
	Problem string `json:"problem,omitempty"` // why the approvals given so far do not suffice
}

// An Answer is what people said.
type Answer struct {
	Digest   string   `json:"digest"`
	Approved bool     `json:"approved"`
	By       []string `json:"by,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// An Exchange belongs to one call, not to the calls that its tool makes. The policy suspends the call instead of
// waiting. Safe for concurrent use.
type Exchange struct {
	callID, tool string
	decided      func(Answer)

	mu    sync.Mutex
	given Answer
	asked *Question
}

// New makes the exchange of a call. given is what people approved before; decided is called with what a person answers
// where the policy shows its requests, in a goroutine of its own.
func New(callID, tool string, given Answer, decided func(Answer)) *Exchange {
	return &Exchange{callID: callID, tool: tool, given: given, decided: decided}
}

type key struct{}

// With returns a context with an exchange.
func With(ctx context.Context, x *Exchange) context.Context { return context.WithValue(ctx, key{}, x) }

// Of returns the exchange of a call, nil without one.
func Of(ctx context.Context, callID, tool string) *Exchange {
	x, _ := ctx.Value(key{}).(*Exchange)
	if x == nil || x.callID != callID || x.tool != tool {
		return nil
	}
	return x
}

// TakeApproval returns who approved the call with this digest, once.
func (x *Exchange) TakeApproval(digest string) (by []string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.given.Approved || x.given.Digest != digest {
		return nil, false
	}
	x.given.Approved = false
	return slices.Clone(x.given.By), true
}

// Ask notes what the policy asks.
func (x *Exchange) Ask(q Question) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = &q
}

// Asked is the question; nil if there was none.
func (x *Exchange) Asked() *Question {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.asked
}

// Decided passes on what people answered.
func (x *Exchange) Decided(a Answer) {
	if x.decided != nil {
		go x.decided(a)
	}
}
