// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
)

// Grants shares approvals of deferred calls.
func (s *Store) Grants() approve.Grants { return grants{s} }

type grants struct{ *Store }

var giveScript = script(`return redis.call('SET', K[1], A[1], 'PX', A[2])`)

var takeGrantScript = script(`
local g = redis.call('GET', K[1])
if g then redis.call('DEL', K[1]) end
return g`)

// Give is that of [approve.Grants].
func (g grants) Give(ctx context.Context, name, grant string, keep time.Duration) error {
	_, err := g.run(ctx, giveScript, []key{{kindGrant, name}}, g.sealers[0].sealed(kindGrant, name, []byte(grant)), millis(keep))
	return err
}

// Take is that of [approve.Grants]. A grant that was not sealed for this call is none.
func (g grants) Take(ctx context.Context, name string) (string, bool, error) {
	answer, err := g.run(ctx, takeGrantScript, []key{{kindGrant, name}})
	text, ok := answer.(string)
	if err != nil || !ok {
		return "", false, err
	}
	plain, err := g.open(kindGrant, name, []byte(text))
	if err != nil {
		return "", false, err
	}
	return string(plain), true, nil
}
