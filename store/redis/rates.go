// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
)

// Rates shares the windows of rate limits. A limit of more than 4,096 calls is divided: 60,000 calls a minute
// are at most 4,000 in each 4 s.
func (s *Store) Rates() limit.Rates { return rates{s} }

type rates struct{ *Store }

// maxLog is how many times a window keeps.
const maxLog = 4096

// takeScript keeps, for each window, the times when its last calls began, by the server's clock in microseconds. A
// window allows a call if the call that began max calls ago did so before the window. A clock that goes back counts as
// one that stands. The list's head is the longest window that any process has asked for: while a configuration
// changes, processes ask for different ones, and the list has what each of them needs.
var takeScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local blocked, longest, times, most = -1, 0, {}, tonumber(A[#A])
for i = 1, #K do
	local max, span = tonumber(A[2 * i - 1]), tonumber(A[2 * i])
	times[i] = redis.call('LLEN', K[i]) - 1
	local last = times[i] > 0 and tonumber(redis.call('LINDEX', K[i], -1)) or 0
	if last > now then now = last end
	if times[i] >= max then
		local wait = span - (now - redis.call('LINDEX', K[i], -max))
		if wait > longest then blocked, longest = i - 1, wait end
	end
end
if blocked >= 0 then return {blocked, string.format('%.0f', longest)} end
local text = string.format('%.0f', now)
for i = 1, #K do
	local span = tonumber(A[2 * i])
	if times[i] < 0 then
		redis.call('RPUSH', K[i], A[2 * i])
	else
		span = math.max(span, tonumber(redis.call('LINDEX', K[i], 0)))
		local old = math.max(0, times[i] + 1 - most)
		while old < times[i] and now - redis.call('LINDEX', K[i], old + 1) >= span do old = old + 1 end
		redis.call('LTRIM', K[i], old, -1)
		redis.call('LSET', K[i], 0, string.format('%.0f', span))
	end
	redis.call('RPUSH', K[i], text)
	redis.call('PEXPIRE', K[i], string.format('%.0f', math.ceil(span / 1000) + 1000))
end
return {-1, '0'}`)

// Take is that of [limit.Rates].
func (r rates) Take(ctx context.Context, asks []limit.Ask) (blocked int, after time.Duration, err error) {
	if len(asks) == 0 {
		return -1, 0, ctx.Err()
	}
	keys := make([]key, len(asks))
	args := make([]any, 0, 2*len(asks)+1)
	for i, a := range asks {
		keys[i] = key{kindRate, string(a.Scope) + strconv.Quote(a.Tenant) + strconv.Quote(a.Name)}
		parts := 1 + (a.Limit.MaxCalls-1)/maxLog
		span := max(1, (a.Limit.Window.Microseconds()-1)/int64(parts)+1)
		args = append(args, a.Limit.MaxCalls/parts, span)
	}
	answer, err := r.run(ctx, takeScript, keys, append(args, maxLog)...)
	if err != nil {
		return 0, 0, err
	}
	blocked, text, ok := pair(answer)
	micros, bad := strconv.ParseInt(text, 10, 64)
	if !ok || bad != nil || blocked < -1 || blocked >= len(asks) {
		return 0, 0, errAnswer
	}
	return blocked, time.Duration(micros) * time.Microsecond, nil
}

var errAnswer = errors.New("redis: got an answer that the script does not give")

// pair reads an answer of a number and a text.
func pair(answer any) (n int, text string, ok bool) {
	list, ok := answer.([]any)
	if !ok || len(list) != 2 {
		return 0, "", false
	}
	number, ok := list[0].(int64)
	if !ok {
		return 0, "", false
	}
	text, ok = list[1].(string)
	return int(number), text, ok
}
