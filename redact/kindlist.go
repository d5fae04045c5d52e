// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"sort"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// A Kind is a kind of secret or personal data that is looked for.
type Kind struct {
	Name  string // as marks show it: [REDACTED:name]
	Group string // "key", "token", "url", "command", "personal", "entropy", "known" or "engine"
	About string // half a sentence
	// Default tells whether it is looked for unless options say otherwise.
	Default bool
}

// byName sorts kinds. The generic sort of the library would make programs larger.
type byName []Kind

func (l byName) Len() int           { return len(l) }
func (l byName) Less(i, j int) bool { return l[i].Name < l[j].Name }
func (l byName) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Kinds lists every kind, sorted by name.
func Kinds() []Kind {
	scan.AllDetectors()
	out := make([]Kind, len(kinds.All))
	for i, k := range kinds.All {
		out[i] = Kind(k)
	}
	sort.Sort(byName(out))
	return out
}
