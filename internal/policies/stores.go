// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
)

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
	o.Rate.Store = b.Stores.Rates
	return limit.New(o)
}

func newLoop(o loop.Options, b *Builder) (middleware.Policy, error) {
	o.Histories = b.Stores.Histories
	return loop.New(o)
}
