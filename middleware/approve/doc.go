// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package approve asks a person before a call reaches its tool: on the controlling
// terminal, over HTTP, or by a function of the host. No caller there, no answer in time, or
// an answer that is not a clear yes: the call is refused.
//
// The person sees the call whole ([Request.View]); logs get it redacted. An approval is bound to the very call that was
// shown (see [Digest]) and holds once, or it is a [Pattern] that the host wrote down beforehand. Nothing survives a
// restart but the patterns, which come from configuration. [Policy.Stop] is the kill switch.
package approve
