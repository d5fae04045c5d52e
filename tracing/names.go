// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"strings"

	"github.com/toolscope/toolscope/internal/memo"
)

// cleanNames remembers names that come again with call after call, those of sessions and
// tenants, as they are redacted. Its size is fixed: a name may take another's place.
type cleanNames struct{ known *memo.Table[string, string] }

func newCleanNames() cleanNames { return cleanNames{memo.NewTable[string, string](256)} }

// cleanName is name as clean makes it. Safe for concurrent use.
func (c cleanNames) cleanName(name string, clean func(string) string) string {
	if len(name) > maxIdentifier { // is not kept in memory
		return clean(name)
	}
	hash := memo.String(name)
	if known, ok := c.known.Load(hash, name); ok {
		return known
	}
	made := clean(name)
	c.known.Store(hash, strings.Clone(name), made)
	return made
}
