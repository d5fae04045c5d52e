// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/revision"
)

// traits are what the tools/call requests of a session have in common.
type traits struct {
	sessionID string
	version   revision.Revision
	http      bool
}

// maxTraits bounds how many sessions' attributes are kept ready. When there are more they
// are made anew, since the end of each is not known: an id may outlive its connection.
const maxTraits = 1024

// callAttributes remembers what the spans of a session's calls start with, so that it is
// redacted and made once, and not for each call. The zero value is empty and works.
type callAttributes struct {
	mu   sync.RWMutex
	made map[traits][]attribute.KeyValue
}

// attributesOf are the attributes of a session's calls. The slice is shared: it is not to be written to,
// and it has no room to append to.
func (c *callAttributes) attributesOf(t traits, attributes func() []attribute.KeyValue) []attribute.KeyValue {
	c.mu.RLock()
	list := c.made[t]
	c.mu.RUnlock()
	if list != nil {
		return list
	}
	list = attributes()
	list = list[:len(list):len(list)]
	if len(t.sessionID) > maxName {
		return list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil || len(c.made) >= maxTraits {
		c.made = map[traits][]attribute.KeyValue{}
	}
	c.made[t] = list
	return list
}
