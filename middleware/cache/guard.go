// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"errors"
	"time"
)

// maxWaiting is how many look-ups of a store outside the process may be under way at
// once: beyond it the store counts as failing, so that one that hangs holds no more.
const maxWaiting = 64

var errHangs = errors.New("the store did not answer in time")

// guard asks a store that may fail, hang, or panic, each time in a goroutine that is abandoned
// if it does not answer in time. There are at most maxWaiting of them.
type guard struct {
	store   Store
	timeout time.Duration
	waiting chan struct{}
}

func newGuard(s Store, timeout time.Duration) *guard {
	return &guard{s, timeout, make(chan struct{}, maxWaiting)}
}

// ask runs f with a context that ends in time, even if the call's own is over: a write
// must be counted.
func (g *guard) ask(ctx context.Context, f func(context.Context) error) error {
	select {
	case g.waiting <- struct{}{}:
	default:
		return errHangs
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.timeout)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		err := errors.New("the store panicked")
		defer func() {
			_ = recover()
			<-g.waiting
			answered <- err
		}()
		err = f(ctx)
	}()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return errHangs
	}
}

func (g *guard) get(ctx context.Context, key Key) (*Entry, uint64, error) {
	type got struct {
		entry *Entry
		stamp uint64
	}
	found := make(chan got, 1) // not shared memory: the asker may have gone
	key.Arguments = key.Arguments.Keep()
	if err := g.ask(ctx, func(ctx context.Context) error {
		entry, stamp, err := g.store.Get(ctx, key)
		found <- got{entry, stamp}
		return err
	}); err != nil {
		return nil, 0, err
	}
	g1 := <-found
	return g1.entry, g1.stamp, nil
}

func (g *guard) set(ctx context.Context, key Key, entry *Entry, keep time.Duration) error {
	return g.ask(ctx, func(ctx context.Context) error { return g.store.Set(ctx, key, entry, keep) })
}

func (g *guard) addToCounters(ctx context.Context, write Write, n uint64) error {
	return g.ask(ctx, func(ctx context.Context) error { return g.store.Add(ctx, write, n) })
}
