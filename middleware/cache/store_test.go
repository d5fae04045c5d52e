// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/cache/cachetest"
)

func memory(t testing.TB, maxBytes int) cache.Store {
	t.Helper()
	m, err := cache.NewMemory(maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMemory(t *testing.T) {
	cachetest.Run(t, func() cache.Store { return memory(t, 0) })
}

func TestEncodingStore(t *testing.T) {
	cachetest.Run(t, func() cache.Store { return newEncoding() })
}

// encoding is a store as one outside the process is made: by names and bytes only.
type encoding struct {
	mu       sync.Mutex
	entries  map[string][]byte
	counters map[string]uint64
}

func newEncoding() *encoding {
	return &encoding{entries: map[string][]byte{}, counters: map[string]uint64{}}
}

func (s *encoding) Get(_ context.Context, key cache.Key) (*cache.Entry, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var stamp uint64
	for _, name := range key.Counters() {
		stamp += s.counters[name]
	}
	data, ok := s.entries[key.String()]
	if !ok {
		return nil, stamp, nil
	}
	e := new(cache.Entry)
	return e, stamp, e.UnmarshalBinary(data)
}

func (s *encoding) Set(_ context.Context, key cache.Key, entry *cache.Entry, _ time.Duration) error {
	data, err := entry.MarshalBinary()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[key.String()] = data
	return nil
}

func (s *encoding) Add(_ context.Context, write cache.Write, n uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range write.Counters() {
		s.counters[name] += n
	}
	return nil
}

func TestDecodingRefusesWhatItDidNotMake(t *testing.T) {
	for text, want := range map[string]string{"": "cache: entry", "{}": "got version 0, want 1",
		`{"v":2}`: "got version 2, want 1", `{"v":1,"result":7}`: "cache: entry"} {
		if err := new(cache.Entry).UnmarshalBinary([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}
