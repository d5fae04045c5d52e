// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package handoff holds what toolscope's own policies pass to each other during one call. Policies that
// users write need none of it.
//
//   - [Abandoned]: a tool that runs on after its call has ended, in the error of the Timeout policy.
//   - [Reserver]: the Budget policy reserves each further attempt of the Retry policy, in the context.
//   - [Question]: the Permit policy asks the Approve policy to consult a person, in the context.
//   - [Answerer]: the Dedupe policy asks the Cache policy directly inside it for a stored answer.
package handoff
