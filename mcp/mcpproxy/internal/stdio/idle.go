// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"errors"
	"time"
)

// idleTime is how long the server's output is still waited for once the server has ended:
// processes that it started may hold the pipes open for ever.
const idleTime = 500 * time.Millisecond

// errIdle says that nothing more is waited for.
var errIdle = errors.New("mcpproxy: nothing came for a while")
