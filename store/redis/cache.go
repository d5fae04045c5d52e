// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware/cache"
)

// Cache shares the answers of cache policies and the counts of writes. An answer is kept for 12 hours at most.
func (s *Store) Cache() cache.Store { return answers{s, kindEntry, kindCounter} }

// answers are stored under a kind of keys, next to counters of writes.
type answers struct {
	*Store
	entry, counter byte
}

// How long answers and counters are kept: counters for longer, or one that starts again at zero could make an old
// answer look right.
const (
	maxKeep     = 12 * time.Hour
	counterKeep = 25 * time.Hour
)

// quietTime is for how long nothing is stored after the server has lost what it had: answers of tools that ran
// meanwhile remember counts that are gone.
const quietTime = 5 * time.Minute

// epoch is a random name that the server keeps with the counters: with another one the counters have started again.
type epoch struct {
	mu    sync.Mutex
	name  string
	since time.Time // the zero time for the first one
}

// seen records the epoch that the server has, "" for none.
func (e *epoch) seen(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.name != "" && name != e.name {
		e.since = time.Now()
	}
	if name != "" {
		e.name = name
	}
}

// current is the epoch, and whether answers may be stored in it.
func (e *epoch) current() (name string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.name, e.since.IsZero() || time.Since(e.since) > quietTime
}

// getScript returns the epoch, the entry and the counters. It writes nothing, so a server whose memory is full
// answers it.
var getScript = script(`
local r = {redis.call('GET', K[1]) or '', redis.call('GET', K[2]) or ''}
for i = 3, #K do r[i] = redis.call('GET', K[i]) or '0' end
return r`)

// setScript stores an entry if the epoch is the one that is expected, and begins one if there is none and none is
// expected. The counters outlive the entry.
var setScript = script(`
local e = redis.call('GET', K[1])
if not e and A[1] == '' then
	e = A[2]
	redis.call('SET', K[1], e, 'PX', A[5])
elseif e ~= A[1] then
	return e or ''
end
redis.call('SET', K[2], A[3], 'PX', A[4])
redis.call('PEXPIRE', K[1], A[5])
for i = 3, #K do redis.call('PEXPIRE', K[i], A[5]) end
return e`)

var addScript = script(`
for i = 1, #K do
	redis.call('INCRBY', K[i], A[1])
	redis.call('PEXPIRE', K[i], A[2])
end
return 1`)

func (a answers) keys(k cache.Key) []key {
	keys := []key{{kindEpoch, "epoch"}, {a.entry, k.String()}}
	for _, name := range k.Counters() {
		keys = append(keys, key{a.counter, name})
	}
	return keys
}

// Get is that of [cache.Store].
func (a answers) Get(ctx context.Context, k cache.Key) (*cache.Entry, uint64, error) {
	answer, err := a.run(ctx, getScript, a.keys(k))
	if err != nil {
		return nil, 0, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return nil, 0, errAnswer
	}
	name, _ := list[0].(string)
	a.epoch.seen(name)
	stamp, err := sum(list[2:])
	if err != nil {
		return nil, 0, err
	}
	text, _ := list[1].(string)
	entry, err := a.decode(k.String(), text)
	return entry, stamp, err
}

// sum adds up counters, which wrap round.
func sum(counters []any) (stamp uint64, err error) {
	for _, c := range counters {
		text, _ := c.(string)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, errAnswer
		}
		stamp += uint64(n)
	}
	return stamp, nil
}

// decode reads an entry; nil if there is none.
func (a answers) decode(name, text string) (*cache.Entry, error) {
	if text == "" {
		return nil, nil
	}
	plain, err := a.open(a.entry, name, []byte(text))
	if err != nil {
		return nil, nil // of a secret that is not used any more: no answer
	}
	entry := new(cache.Entry)
	if err := entry.UnmarshalBinary(plain); err != nil {
		return nil, nil // of another version of this package
	}
	return entry, nil
}

// Set is that of [cache.Store].
func (a answers) Set(ctx context.Context, k cache.Key, entry *cache.Entry, keep time.Duration) error {
	expected, ok := a.epoch.current()
	if !ok {
		return nil
	}
	plain, err := entry.MarshalBinary()
	if err != nil {
		return err
	}
	name := k.String()
	answer, err := a.run(ctx, setScript, a.keys(k), expected, token(), a.sealers[0].sealed(a.entry, name, plain),
		millis(min(keep, maxKeep)), millis(counterKeep))
	if err != nil {
		return err
	}
	got, _ := answer.(string)
	a.epoch.seen(got)
	return nil
}

// Add is that of [cache.Store].
func (a answers) Add(ctx context.Context, write cache.Write, n uint64) error {
	var keys []key
	for _, name := range write.Counters() {
		keys = append(keys, key{a.counter, name})
	}
	_, err := a.run(ctx, addScript, keys, strconv.FormatInt(int64(n), 10), millis(counterKeep))
	return err
}
