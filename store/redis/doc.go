// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package redis keeps the state of policies in Redis or Valkey, for processes that share it.
//
//	store, err := redis.Open(redis.Options{
//		URL:     os.Getenv("TOOLSCOPE_REDIS_URL"), // rediss://user:password@redis.example:6379/0
//		Secrets: [][]byte{secret},
//	})
//	answers, err := cache.New(cache.Options{Store: store.Cache()})
//
// Each question is one script in one round trip, and takes at most 100 ms. After five failures in a row no call
// asks until the server answers again, which a goroutine checks each second. What a policy does meanwhile is the
// policy's: see docs/fleet.md.
//
// Names of keys are HMACs, and values are sealed with AES-256-GCM: what is in Redis says nothing about tools,
// sessions, tenants, arguments and results. Counts and times are not sealed.
//
// The server must not evict keys: with a limit of memory and another policy than noeviction the store is not used.
package redis
