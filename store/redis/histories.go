// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"strconv"

	"github.com/toolscope/toolscope/middleware/loop"
)

// Histories shares the last calls of agents, in which the loop policy looks for loops.
func (s *Store) Histories() loop.Histories { return histories{s} }

type histories struct{ *Store }

// addEventScript appends an event to the agent's (K[1]) and returns the number of the last one (K[2]) and those after a
// number. Numbers begin with the time in milliseconds, so that one that was lost does not come again.
var addEventScript = script(`
local n = redis.call('INCR', K[2])
if n == 1 then
	local t = redis.call('TIME')
	n = t[1] * 1000 + math.floor(t[2] / 1000)
	redis.call('SET', K[2], string.format('%.0f', n))
	redis.call('DEL', K[1])
end
redis.call('RPUSH', K[1], A[1])
redis.call('LTRIM', K[1], -tonumber(A[2]), -1)
redis.call('PEXPIRE', K[1], A[3])
redis.call('PEXPIRE', K[2], A[3])
local want = n - tonumber(A[4])
if want < 1 or want > tonumber(A[2]) then want = tonumber(A[2]) end
local r = redis.call('LRANGE', K[1], -want, -1)
table.insert(r, 1, string.format('%.0f', n))
return r`)

// Add is that of [loop.Histories].
func (h histories) Add(ctx context.Context, a loop.HistoryKey, event []byte, after uint64) (loop.Events, error) {
	answer, err := h.run(ctx, addEventScript, []key{{kindEvents, a.Agent}, {kindLastEvent, a.Agent}},
		h.sealers[0].sealed(kindEvents, a.Agent, event), a.Events, millis(a.Idle), strconv.FormatUint(after, 10))
	if err != nil {
		return loop.Events{}, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return loop.Events{}, errAnswer
	}
	text, _ := list[0].(string)
	last, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return loop.Events{}, errAnswer
	}
	events := loop.Events{Last: last, List: make([][]byte, 0, len(list)-1)}
	for _, sealed := range list[1:] {
		text, _ := sealed.(string)
		plain, _ := h.open(kindEvents, a.Agent, []byte(text)) // of another secret: an event that says nothing
		events.List = append(events.List, plain)
	}
	return events, nil
}
