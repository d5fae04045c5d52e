// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/middleware/approve"
)

// Requests shares requests for approval, and approvals of deferred calls: at most 2,000, of 16 MiB together.
func (s *Store) Requests() approve.Requests { return requests{s} }

type requests struct{ *Store }

// Requests are fields of one hash (K[1]), by their random ids: the revision, a colon and the sealed text. A sorted set
// (K[2]) has the times in milliseconds when they are forgotten.
const requestsName = "requests"

const (
	maxRequests     = 2000
	maxRequestBytes = 16 << 20
)

// pruneRequests forgets what was kept for long enough, and defines what keeps a request.
const pruneRequests = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', K[2], '-inf', now, 'LIMIT', 0, 1000)) do
	redis.call('HDEL', K[1], id)
	redis.call('ZREM', K[2], id)
end
local function keep(id, value, ms)
	redis.call('HSET', K[1], id, value)
	redis.call('ZADD', K[2], now + ms, id)
	local last = redis.call('ZRANGE', K[2], -1, -1, 'WITHSCORES')
	redis.call('PEXPIREAT', K[1], last[2])
	redis.call('PEXPIREAT', K[2], last[2])
end
`

// openRequestScript keeps the id of the one open request for a call in K[3].
var openRequestScript = script(pruneRequests + `
local other = K[3] and redis.call('GET', K[3])
if other and redis.call('HEXISTS', K[1], other) == 1 then return other end
local bytes = #A[2]
local ids = redis.call('HKEYS', K[1])
for _, id in ipairs(ids) do bytes = bytes + redis.call('HSTRLEN', K[1], id) end
if #ids >= tonumber(A[4]) or bytes > tonumber(A[5]) then return '' end
keep(A[1], '1:' .. A[2], A[3])
if K[3] then redis.call('SET', K[3], A[1], 'PX', A[3]) end
return A[1]`)

// changeRequestScript keeps the grant A[6] in the last key, if there is one.
var changeRequestScript = script(pruneRequests + `
local v = redis.call('HGET', K[1], A[1])
if not v or tonumber(string.match(v, '^%d+')) + 1 ~= tonumber(A[2]) then return 0 end
if A[6] then redis.call('SET', K[#K], A[6], 'PX', A[7]) end
keep(A[1], A[2] .. ':' .. A[3], A[4])
if A[5] == 'closed' and redis.call('GET', K[3]) == A[1] then redis.call('DEL', K[3]) end
if A[5] == 'open' then redis.call('SET', K[3], A[1], 'PX', A[4]) end
return 1`)

// readRequestsScript returns ids and values. It writes nothing.
var readRequestsScript = script(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local r = {}
local function add(id, known)
	local v = redis.call('HGET', K[1], id)
	if v and string.match(v, '^%d+') ~= known then
		r[#r + 1] = id
		r[#r + 1] = v
	end
end
if A[1] == 'all' then
	for _, id in ipairs(redis.call('ZRANGEBYSCORE', K[2], now + 1, '+inf')) do add(id, '') end
else
	for i = 2, #A, 2 do
		local until_ = redis.call('ZSCORE', K[2], A[i])
		if until_ and tonumber(until_) > now then
			add(A[i], A[i + 1])
		elseif A[i + 1] ~= '0' then
			r[#r + 1] = A[i]
			r[#r + 1] = '0:'
		end
	end
end
return r`)

var takeGrantScript = script(`
local g = redis.call('GET', K[1])
if g then redis.call('DEL', K[1]) end
return g`)

var requestKeys = []key{{kindRequests, requestsName}, {kindExpiries, requestsName}}

func keysOf(call string) []key {
	if call == "" {
		return requestKeys[:2:2]
	}
	return append(requestKeys[:2:2], key{kindCall, call})
}

// Open is that of [approve.Requests].
func (q requests) Open(ctx context.Context, r approve.Kept) (string, error) {
	answer, err := q.run(ctx, openRequestScript, keysOf(r.Call), r.ID, q.sealers[0].sealed(kindRequests, r.ID, r.Text),
		millis(r.Keep), maxRequests, maxRequestBytes)
	if err != nil {
		return "", err
	}
	id, ok := answer.(string)
	switch {
	case !ok:
		return "", errAnswer
	case id == "":
		return "", approve.ErrFull
	}
	return id, nil
}

// Change is that of [approve.Requests].
func (q requests) Change(ctx context.Context, r approve.Kept, g *approve.Grant) (bool, error) {
	state := ""
	switch {
	case r.Call == "":
	case r.Closed:
		state = "closed"
	default:
		state = "open"
	}
	keys := keysOf(r.Call)
	args := []any{r.ID, strconv.FormatUint(r.Revision, 10), q.sealers[0].sealed(kindRequests, r.ID, r.Text), millis(r.Keep), state}
	if g != nil {
		keys = append(keys, key{kindGrant, g.Call})
		args = append(args, q.sealers[0].sealed(kindGrant, g.Call, []byte(g.Text)), millis(g.Keep))
	}
	answer, err := q.run(ctx, changeRequestScript, keys, args...)
	return answer == int64(1), err
}

// Read is that of [approve.Requests]. A request that was not sealed for its id is none.
func (q requests) Read(ctx context.Context, known map[string]uint64) ([]approve.Kept, error) {
	args := []any{"all"}
	if known != nil {
		args[0] = "some"
		for id, revision := range known {
			args = append(args, id, strconv.FormatUint(revision, 10))
		}
	}
	answer, err := q.run(ctx, readRequestsScript, requestKeys, args...)
	if err != nil {
		return nil, err
	}
	list, _ := answer.([]any)
	var all []approve.Kept
	for i := 0; i+1 < len(list); i += 2 {
		id, _ := list[i].(string)
		value, _ := list[i+1].(string)
		revision, sealed, _ := strings.Cut(value, ":")
		n, err := strconv.ParseUint(revision, 10, 64)
		if err != nil {
			return nil, errAnswer
		}
		if n == 0 {
			all = append(all, approve.Kept{ID: id})
		} else if text, err := q.open(kindRequests, id, []byte(sealed)); err == nil {
			all = append(all, approve.Kept{ID: id, Revision: n, Text: text})
		}
	}
	return all, nil
}

// Take is that of [approve.Requests]. A grant that was not sealed for this call is none.
func (q requests) Take(ctx context.Context, call string) (string, bool, error) {
	answer, err := q.run(ctx, takeGrantScript, []key{{kindGrant, call}})
	text, ok := answer.(string)
	if err != nil || !ok {
		return "", false, err
	}
	plain, err := q.open(kindGrant, call, []byte(text))
	if err != nil {
		return "", false, err
	}
	return string(plain), true, nil
}
