// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff

import "context"

// A Question is what a policy wants a person to answer before the call goes on: the Permit policy puts it
// into the context, the Approve policy inside it asks.
type Question struct {
	// Rule is the name of the rule that asks; "" if none has a name.
	Rule string
	// Reason is for the person. It may quote arguments, so it is redacted before it is shown.
	Reason string
	// Version names the rules that asked; an answer is valid for no others.
	Version string
	// Settled reports that a rule allows this very call by name, so that the tool's risk or the words of
	// its arguments alone do not ask. A tool that asks for approval of each call still asks.
	Settled bool
}

type questionKey struct{}

// WithQuestion returns ctx with a question for the Approve policy. It replaces a question of an outer
// policy.
func WithQuestion(ctx context.Context, q Question) context.Context {
	return &asking{ctx, q}
}

// asking is the context of a call with a question.
type asking struct {
	context.Context
	question Question
}

func (a *asking) Value(key any) any {
	if key == (questionKey{}) {
		return &a.question
	}
	return a.Context.Value(key)
}

// WithoutQuestion returns ctx for the tool: the question is about this call, not about calls that the tool
// makes.
func WithoutQuestion(ctx context.Context) context.Context {
	if a, ok := ctx.(*asking); ok { // as the policy that asks made it, if no middleware is in between
		ctx = a.Context
	}
	if _, asked := QuestionOf(ctx); !asked {
		return ctx
	}
	return context.WithValue(ctx, questionKey{}, (*Question)(nil))
}

// QuestionOf returns the question that an outer policy asks about this call; false if there is none.
func QuestionOf(ctx context.Context) (Question, bool) {
	if q, ok := ctx.Value(questionKey{}).(*Question); ok && q != nil {
		return *q, true
	}
	return Question{}, false
}
