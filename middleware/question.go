// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import "context"

// A Question is what a policy wants a person to answer before the call goes on: the
// Permit policy puts it into the context, the Approve policy behind it asks.
type Question struct {
	// Rule is the name of the rule that asks; "" if none has a name.
	Rule string
	// Reason tells the person why they are asked. It may quote arguments, so it is
	// redacted before it is shown.
	Reason string
	// Version names the rules that asked; an answer holds for no others.
	Version string
	// Settled says that a rule allows this very call by name, so that nobody is asked for its
	// tool's risk or its arguments' words alone. A tool that asks for approval of each
	// call is asked about all the same.
	Settled bool
}

type questionKey struct{}

// WithQuestion is ctx with a question for the Approve policy. A question of an
// outer policy is replaced.
func WithQuestion(ctx context.Context, q Question) context.Context {
	return &asking{ctx, q}
}

// asking is the context of a call that a question is asked about.
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

// WithoutQuestion is ctx for the tool: the question was this call's, and says nothing of the
// calls that the tool makes.
func WithoutQuestion(ctx context.Context) context.Context {
	if a, ok := ctx.(*asking); ok { // as it comes from the policy that asks, if none stands between
		ctx = a.Context
	}
	if _, asked := QuestionOf(ctx); !asked {
		return ctx
	}
	return context.WithValue(ctx, questionKey{}, (*Question)(nil))
}

// QuestionOf is the question that an outer policy asks of this call; false if none does.
func QuestionOf(ctx context.Context) (Question, bool) {
	if q, ok := ctx.Value(questionKey{}).(*Question); ok && q != nil {
		return *q, true
	}
	return Question{}, false
}
