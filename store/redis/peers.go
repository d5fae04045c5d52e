// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"strings"
	"time"

	"github.com/toolscope/toolscope/middleware/breaker"
)

// Peers shares openings of circuits.
func (s *Store) Peers() breaker.Peers { return peers{s} }

type peers struct{ *Store }

const openings = "openings"

// tellScript adds a sealed opening to a sorted set, by the time in milliseconds when it ends, and keeps the last 1,000.
var tellScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', K[1], '-inf', now)
redis.call('ZADD', K[1], now + A[2], A[1])
redis.call('ZREMRANGEBYRANK', K[1], 0, -1001)
local last = redis.call('ZRANGE', K[1], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', K[1], last[2])
return 1`)

var openingsScript = script(`
local t = redis.call('TIME')
return redis.call('ZRANGEBYSCORE', K[1], t[1] * 1000 + math.floor(t[2] / 1000) + 1, '+inf')`)

// Tell is that of [breaker.Peers].
func (p peers) Tell(ctx context.Context, o breaker.Opening, openFor time.Duration) error {
	sealed := p.sealers[0].sealed(kindCircuit, openings, []byte(o.ID+" "+o.Circuit))
	_, err := p.run(ctx, tellScript, []key{{kindCircuit, openings}}, sealed, millis(openFor))
	return err
}

// Openings is that of [breaker.Peers].
func (p peers) Openings(ctx context.Context) ([]breaker.Opening, error) {
	answer, err := p.run(ctx, openingsScript, []key{{kindCircuit, openings}})
	if err != nil {
		return nil, err
	}
	list, _ := answer.([]any)
	var all []breaker.Opening
	for _, member := range list {
		text, _ := member.(string)
		plain, err := p.open(kindCircuit, openings, []byte(text))
		if err != nil {
			continue // of a secret that is not used any more
		}
		id, key, _ := strings.Cut(string(plain), " ")
		all = append(all, breaker.Opening{Circuit: key, ID: id})
	}
	return all, nil
}
