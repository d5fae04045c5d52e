// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// How often a process that is in use says which secrets it has, and for how long that counts.
const (
	introduceEvery = 30 * time.Second
	introducedFor  = 2 * time.Minute
	// How often such a process looks whether the server may evict keys by now.
	evictionEvery = time.Minute
)

// secrets notices processes of the same namespace that have none of this one's secrets: they would share nothing, and
// notice nothing. Each says which secrets it has under a name that does not depend on them: 16 bytes derived from
// each, which tell nothing of it.
type secrets struct {
	own   []string     // marks of the store's secrets
	asked atomic.Int64 // when the server got them, nanoseconds since 1970

	mu      sync.Mutex
	foreign bool // whether another process has other secrets
}

func (s *secrets) set(sealers []*sealer) {
	for _, sealer := range sealers {
		s.own = append(s.own, sealer.mark)
	}
}

var errOtherSecret = errors.New("redis: another process of this namespace uses another secret, and shares nothing with this one")

func (s *secrets) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.foreign {
		return errOtherSecret
	}
	return nil
}

// introduceScript adds the process's marks (ARGV[1]) to a sorted set, by the time in milliseconds when they end, and
// returns the others. Those of a process that has not yet the first secret of this one (ARGV[3]) but its second one
// (ARGV[4]) end: the secret is changed, and if that process still runs, it says so again.
var introduceScript = goredis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) -- first: only the first write fails if the memory is full
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -17)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local all = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, other in ipairs(all) do
	if ARGV[4] and string.find(other, ARGV[4], 1, true) and not string.find(other, ARGV[3], 1, true) then
		redis.call('ZREM', KEYS[1], other)
	end
end
return all`)

// introduce tells the server which secrets this process has, and takes in which others have.
func (s *Store) introduce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	own := &s.secrets
	own.asked.Store(time.Now().UnixNano())
	args := []any{strings.Join(own.own, ","), introducedFor.Milliseconds()}
	for _, mark := range own.own {
		args = append(args, mark)
	}
	all, err := introduceScript.Run(ctx, s.client, []string{s.tag + "s:secrets"}, args...).StringSlice()
	if err != nil {
		return err
	}
	foreign := false
	for _, marks := range all {
		foreign = foreign || !own.shares(marks)
	}
	own.mu.Lock()
	changed := foreign && !own.foreign
	own.foreign = foreign
	own.mu.Unlock()
	if changed {
		s.warn("processes that share a Redis server do not share a secret", errOtherSecret)
	}
	return nil
}

// shares reports whether one of the marks is the store's.
func (s *secrets) shares(marks string) bool {
	for _, mark := range s.own {
		if strings.Contains(marks, mark) {
			return true
		}
	}
	return false
}

// introduceAgain does so in the background, if it is time, and looks whether the server may evict keys. Nothing waits
// for it.
func (s *Store) introduceAgain() {
	now, asked := time.Now().UnixNano(), s.secrets.asked.Load()
	if now-asked >= int64(introduceEvery) && s.secrets.asked.CompareAndSwap(asked, now) && s.circuit.away() == nil {
		s.circuit.once(func() {
			if err := s.introduce(s.ctx); err != nil && s.ctx.Err() == nil {
				_ = s.circuit.failed(err)
			} else if time.Now().UnixNano()-s.evictionAsked.Load() >= int64(evictionEvery) {
				s.circuit.looked(s.checkEviction(s.ctx))
			}
		})
	}
}
