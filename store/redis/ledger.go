// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/toolscope/toolscope/middleware/budget"
)

// Ledger shares the accounts of budgets. Costs are exact up to 9 million of the currency.
func (s *Store) Ledger() budget.Ledger { return ledger{s} }

type ledger struct{ *Store }

// receiptTTL is for how long a call may run and be settled.
const receiptTTL = 24 * time.Hour

// reserveScript charges a call to all accounts (K[2] and further) or to none. The receipt is K[1].
var reserveScript = script(`
local cost = A[1]
for i = 2, #K do
	local a = 4 * (i - 2) + 2
	local v = redis.call('HMGET', K[i], 'calls', 'ran', 'cost')
	local calls, ran, spent = tonumber(A[a]), tonumber(A[a + 1]), tonumber(A[a + 2])
	local left = string.format('%.0f', math.max(0, spent - (v[3] or 0)))
	if calls > 0 and tonumber(v[1] or 0) >= calls then return {i - 2, 'calls', left} end
	if ran > 0 and tonumber(v[2] or 0) >= ran then return {i - 2, 'time', left} end
	if spent > 0 and tonumber(cost) > 0 and tonumber(cost) > spent - (v[3] or 0) then return {i - 2, 'cost', left} end
end
for i = 2, #K do
	redis.call('HINCRBY', K[i], 'calls', 1)
	redis.call('HINCRBY', K[i], 'cost', cost)
	redis.call('PEXPIRE', K[i], A[4 * (i - 2) + 5])
end
redis.call('HSET', K[1], 'cost', cost, 'attempts', 1)
redis.call('PEXPIRE', K[1], A[#A])
return {-1, '', '0'}`)

// moreScript charges one more attempt of a call.
var moreScript = script(`
if redis.call('EXISTS', K[1]) == 0 then return 0 end
local cost = A[1]
for i = 2, #K do
	local spent = tonumber(A[i])
	if spent > 0 and tonumber(cost) > spent - (redis.call('HGET', K[i], 'cost') or 0) then return 0 end
end
for i = 2, #K do redis.call('HINCRBY', K[i], 'cost', cost) end
redis.call('HINCRBY', K[1], 'attempts', 1)
return 1`)

// settleScript puts what was used in the place of what was reserved. An account that was forgotten meanwhile stays so.
var settleScript = script(`
local attempts = tonumber(redis.call('HGET', K[1], 'attempts') or 0)
if attempts == 0 then return 0 end
local cost, used = redis.call('HGET', K[1], 'cost'), tonumber(A[1])
for i = 2, #K do
	if redis.call('EXISTS', K[i]) == 1 then
		if used == 0 then redis.call('HINCRBY', K[i], 'calls', -1) end
		if cost ~= '0' then
			for _ = used + 1, attempts do redis.call('HINCRBY', K[i], 'cost', '-' .. cost) end
			for _ = attempts + 1, math.min(used, attempts + 1000) do redis.call('HINCRBY', K[i], 'cost', cost) end
		end
		redis.call('HINCRBY', K[i], 'ran', A[2])
	end
end
redis.call('DEL', K[1])
return 1`)

// maxCost is more than any budget has.
const maxCost = 1_000_000_000_000_000_001

func accountKeys(receipt string, accounts []budget.Account) []key {
	keys := make([]key, 0, 1+len(accounts))
	keys = append(keys, key{kindReceipt, receipt})
	for _, a := range accounts {
		keys = append(keys, key{kindAccount, a.Name})
	}
	return keys
}

// Reserve is that of [budget.Ledger]. A server that answers too late may have charged the call, which does not run:
// that is taken back later.
func (l ledger) Reserve(ctx context.Context, receipt string, accounts []budget.Account, cost int64) (*budget.Shortage, error) {
	args := make([]any, 0, 2+4*len(accounts))
	args = append(args, min(cost, maxCost))
	for _, a := range accounts {
		args = append(args, a.Limits.Calls, a.Limits.Time.Microseconds(), a.Limits.CostUnits(), millis(a.Idle))
	}
	answer, err := l.run(ctx, reserveScript, accountKeys(receipt, accounts), append(args, millis(receiptTTL))...)
	if err != nil {
		if !errors.Is(err, ErrAway) {
			l.circuit.doLater(l.settling(receipt, accounts, budget.Used{}))
		}
		return nil, err
	}
	list, _ := answer.([]any)
	if len(list) != 3 {
		return nil, errAnswer
	}
	i, ok := list[0].(int64)
	what, _ := list[1].(string)
	text, _ := list[2].(string)
	left, bad := strconv.ParseInt(text, 10, 64)
	switch {
	case !ok || bad != nil || i >= int64(len(accounts)):
		return nil, errAnswer
	case i < 0:
		return nil, nil
	}
	return &budget.Shortage{Account: int(i), What: what, Left: left}, nil
}

// ReserveMore is that of [budget.Ledger].
func (l ledger) ReserveMore(ctx context.Context, receipt string, accounts []budget.Account, cost int64) (bool, error) {
	args := make([]any, 0, 1+len(accounts))
	args = append(args, min(cost, maxCost))
	for _, a := range accounts {
		args = append(args, a.Limits.CostUnits())
	}
	answer, err := l.run(ctx, moreScript, accountKeys(receipt, accounts), args...)
	return answer == int64(1), err
}

// Settle is that of [budget.Ledger]. If the server does not do it, it is done later.
func (l ledger) Settle(ctx context.Context, receipt string, accounts []budget.Account, used budget.Used) error {
	settle := l.settling(receipt, accounts, used)
	err := settle(ctx)
	if err != nil && ctx.Err() == nil {
		l.circuit.doLater(settle)
	}
	return err
}

// settling settles a receipt, if it is not settled.
func (l ledger) settling(receipt string, accounts []budget.Account, used budget.Used) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := l.run(ctx, settleScript, accountKeys(receipt, accounts), used.Attempts, used.Time.Microseconds())
		return err
	}
}
