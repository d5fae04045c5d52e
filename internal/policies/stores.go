// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"errors"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
)

// A SharedState is a policy's state that processes share.
type SharedState struct{ Name, Policy string }

// Shared are those that have a store, by their names in files.
func (s Stores) Shared() (all []SharedState) {
	for _, state := range []struct {
		SharedState
		shared bool
	}{
		{SharedState{"approvals", "approve"}, s.Requests != nil},
		{SharedState{"breaker", "breaker"}, s.Peers != nil},
		{SharedState{"budgets", "budget"}, s.Ledger != nil},
		{SharedState{"cache", "cache"}, s.Cache != nil},
		{SharedState{"duplicates", "dedupe"}, s.Flights != nil},
		{SharedState{"loops", "loop"}, s.Histories != nil},
		{SharedState{"rates", "limit"}, s.Rates != nil},
	} {
		if state.shared {
			all = append(all, state.SharedState)
		}
	}
	return all
}

func newCache(o cache.Options, b *Builder) (*cache.Policy, error) {
	o.Store = b.Stores.Cache
	return cache.New(o)
}

func newBreaker(o breaker.Options, b *Builder) (*breaker.Policy, error) {
	o.Peers = b.Stores.Peers
	return breaker.New(o)
}

func newDedupe(o dedupe.Options, b *Builder) (middleware.Policy, error) {
	o.Flights = b.Stores.Flights
	return dedupe.New(o)
}

func newBudget(o budget.Options, b *Builder) (middleware.Policy, error) {
	o.Ledger = b.Stores.Ledger
	return budget.New(o)
}

func newLimit(o limit.Options, b *Builder) (middleware.Policy, error) {
	if o.Rate.Store = b.Stores.Rates; o.Rate.Store == nil && o.Rate.WhenAway == limit.Refuse && b.ReadFile != nil {
		return nil, errors.New("rate.when_away: got refuse without a shared store, want redis.share to have rates, or local")
	}
	return limit.New(o)
}

func newLoop(o loop.Options, b *Builder) (middleware.Policy, error) {
	o.Histories = b.Stores.Histories
	return loop.New(o)
}
