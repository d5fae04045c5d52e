// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware/dedupe"
)

// Flights shares runs of identical calls, and their answers.
func (s *Store) Flights() dedupe.Flights { return flights{s} }

type flights struct{ *Store }

// joinScript returns 1 and the answer (K[1]), or 2 and the fence (K[3]) to who gets the lease (K[2]), or 3; then the
// counters. A fence is never lower than the time in milliseconds, so that one that was forgotten goes on.
var joinScript = script(`
local r = {3, ''}
local answer = A[3] == '0' and redis.call('GET', K[1])
if answer then
	r = {1, answer}
elseif redis.call('SET', K[2], A[1], 'NX', 'PX', A[2]) then
	local t = redis.call('TIME')
	local now = t[1] * 1000 + math.floor(t[2] / 1000)
	local fence = redis.call('INCR', K[3])
	if fence < now then
		fence = now
		redis.call('SET', K[3], string.format('%.0f', fence))
	end
	redis.call('PEXPIRE', K[3], A[4])
	redis.call('DEL', K[1])
	r = {2, string.format('%.0f', fence)}
end
for i = 4, #K do r[#r + 1] = redis.call('GET', K[i]) or '0' end
return r`)

var renewScript = script(`
if redis.call('GET', K[1]) ~= A[1] then return 0 end
return redis.call('PEXPIRE', K[1], A[2])`)

var finishScript = script(`
if redis.call('GET', K[1]) ~= A[1] then return 0 end
redis.call('DEL', K[1])
if A[2] ~= '' then
	redis.call('SET', K[2], A[2], 'PX', A[3])
	for i = 3, #K do redis.call('PEXPIRE', K[i], A[4]) end
end
return 1`)

// What Join may return.
const (
	joinedAnswer = 1
	joinedLead   = 2
)

// Join is that of [dedupe.Flights].
func (f flights) Join(ctx context.Context, k dedupe.FlightKey, token string, lease time.Duration, anew bool,
) (dedupe.Joined, error) {
	keys := []key{{kindFlight, k.Name}, {kindLease, k.Name}, {kindFence, k.Name}}
	for _, c := range k.Counters {
		keys = append(keys, key{kindWrites, c})
	}
	flag := 0
	if anew {
		flag = 1
	}
	var j dedupe.Joined
	answer, err := f.run(ctx, joinScript, keys, token, millis(lease), flag, millis(counterKeep))
	if err != nil {
		return j, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return j, errAnswer
	}
	if j.Stamp, err = sum(list[2:]); err != nil {
		return j, err
	}
	text, _ := list[1].(string)
	switch list[0] {
	case int64(joinedAnswer):
		if j.Answer, err = f.open(kindFlight, k.Name, []byte(text)); err != nil {
			j.Answer, err = []byte{}, nil // of a secret that is not used any more: none that is right
		}
	case int64(joinedLead):
		j.Leads = true
		j.Fence, err = strconv.ParseUint(text, 10, 64)
	}
	return j, err
}

// Renew is that of [dedupe.Flights].
func (f flights) Renew(ctx context.Context, k dedupe.FlightKey, token string, lease time.Duration) (bool, error) {
	answer, err := f.run(ctx, renewScript, []key{{kindLease, k.Name}}, token, millis(lease))
	return answer == int64(1), err
}

// Finish is that of [dedupe.Flights].
func (f flights) Finish(ctx context.Context, k dedupe.FlightKey, token string, answer []byte, keep time.Duration) (bool, error) {
	keys := []key{{kindLease, k.Name}, {kindFlight, k.Name}}
	for _, c := range k.Counters {
		keys = append(keys, key{kindWrites, c})
	}
	if len(answer) > 0 {
		answer = f.sealers[0].sealed(kindFlight, k.Name, answer)
	}
	got, err := f.run(ctx, finishScript, keys, token, answer, millis(min(keep, maxKeep)), millis(counterKeep))
	return got == int64(1), err
}

// AddWrites is that of [dedupe.Flights].
func (f flights) AddWrites(ctx context.Context, counters []string, n uint64) error {
	keys := make([]key, len(counters))
	for i, c := range counters {
		keys[i] = key{kindWrites, c}
	}
	_, err := f.run(ctx, addScript, keys, strconv.FormatInt(int64(n), 10), millis(counterKeep))
	return err
}
