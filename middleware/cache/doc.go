// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package cache is the policy that answers calls from a store.
//
//	answers, err := cache.New(cache.Options{})
//	defer answers.Close()
//	handle := middleware.Wrap(registry.Handle, answers)
//
// Stored are answers of tools that say they are read-only or idempotent, and of those that
// the options name; for the tool's CacheTTL, or the options' TTL. Never stored are
// timeouts, refusals, panics, suspended results, and failures unless asked for. A call is
// found by its tool and by the identity of its arguments (package identity): a hash finds
// the entry, equality decides. Nothing leaves the session, or what [Options.Share] tells; a call
// without a session goes on as if there were no cache, with the tag cache=unscoped.
//
// A tool that may write makes stale what its session has stored of the same
// resources ([toolkit.Definition].Resources), when it begins and again when it ends: an
// answer that was read before the end of a write is never given after it. What the policy
// cannot see it cannot make stale: writes past it, writes of other sessions (see
// [Options.Reach]), and what a tool that was abandoned writes after its call has ended.
// Such answers live until their TTL.
//
// A hit is recorded as the outcome cache_hit, with the answer's age and the span of the call
// that filled the store. A store that fails or hangs costs a call at most
// [Options.StoreTimeout]: it goes on without it, with the tag cache=store_error.
package cache
