// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
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

// Kinds lists every kind, sorted by name.
func Kinds() []Kind {
	scan.AllDetectors()
	out := make([]Kind, len(kinds.All))
	for i, k := range kinds.All { // the library's sorts would make programs larger
		for ; i > 0 && k.Name < out[i-1].Name; i-- {
			out[i] = out[i-1]
		}
		out[i] = Kind(k)
	}
	return out
}
