// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// Options say whom to ask and when. The zero value asks over HTTP if the policy is served
// (toolscope.Options.ApprovalsToken, [NewHandler]), else on the controlling terminal, for
// calls that a permission rule asks about, whose tool asks for approval, whose tool's
// risk is high, or whose arguments have a sensitive word.
type Options struct {
	// Askers are asked concurrently; the first answer counts, and the contexts of the
	// others end. nil is [HTTP] for a policy that is served, else [Terminal]. An
	// answer over HTTP counts as well if the policy is served and has other askers.
	Askers []Asker `yaml:"-"`
	// Expiry is how long an answer is waited for, 5 minutes by default; then the
	// call is refused.
	Expiry time.Duration `yaml:"expiry" doc:"How long an answer is waited for; default 5m."`
	// Defer answers at once with a suspended result instead of waiting. Once
	// approved, the same call of the same session is let through, once, within
	// Expiry from the answer. Answers come over HTTP, or from the application if
	// Askers is [External].
	Defer bool `yaml:"defer" doc:"Suspend the call instead of waiting; answers come over HTTP; default false."`
	// Requests keeps the requests and the approvals of deferred calls for all processes that share it: they are
	// shown and answered in each of them, once. nil keeps them in this process. While it does not answer, calls that
	// need an approval are refused. Tell is called where a request is opened and where it is decided, and not for
	// deferred requests that expire. The caller closes it.
	Requests Requests `yaml:"-"`
	// MaxPending is how many requests may be open, 1000 by default; beyond it calls
	// are refused (overloaded).
	MaxPending int `yaml:"max_pending" doc:"Open requests; default 1000."`
	// Patterns approve calls beforehand.
	Patterns []Pattern `yaml:"patterns" doc:"Calls approved beforehand."`
	// WithoutSensitive does not ask because of words in the arguments. The default, false, asks if a name or
	// a value has one of SensitiveWords.
	WithoutSensitive bool `yaml:"without_sensitive" doc:"Do not ask because of words in the arguments; default false."`
	// SensitiveWords are what is looked for instead of password, secret, token, key, delete, drop and destroy: whole
	// words of the letters a to z, in any case, also as a part of a camelCase or snake_case name. At most 100.
	SensitiveWords []string `yaml:"sensitive_words" doc:"Words in arguments that ask; default: password, key and others."`
	// People restricts who may approve what, by the names next to their tokens; nil lets everyone with a token
	// approve everything. Then each needs a token of their own: see [NewHandler].
	People []Person `yaml:"people" doc:"Who may approve what; default: everyone with a token, everything."`
	// TwoPeople are names of tools, with * and ?, whose calls two different people have to approve. Each needs a
	// token of their own.
	TwoPeople []string `yaml:"two_people" doc:"Tools whose calls need the approval of two people, with * and ?; default none."`
	// Needed asks for further calls, and says why; nil for no others. If it panics, a person
	// is asked.
	Needed func(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) (reason string, needed bool) `yaml:"-"`
	// WorkDir is the work directory that an approval is bound to; "" is the
	// process's when the policy is made.
	WorkDir string `yaml:"-"`
	// Redactor redacts requests before they are shown or recorded; nil is
	// [redact.Default].
	Redactor *redact.Redactor `yaml:"-"`
	// Tell is called with each request when it is opened (State Pending) and when it is
	// closed, for an audit log, one at a time. It must not call the policy; a panic
	// of it is swallowed. nil is no function.
	Tell func(Decision) `yaml:"-"`
}
