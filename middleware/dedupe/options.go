// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware"
)

// The defaults of [Options].
const (
	DefaultMaxAnswers = 10_000
	DefaultMaxBytes   = 32 << 20
)

// Options of the policy. The zero value works.
type Options struct {
	// Tools are names of tools whose calls may be twins though they do not say that
	// they are read-only or idempotent. Such a tool counts as one that does not write,
	// unless it says that it does.
	Tools []string
	// Share is among whose calls twins are looked for; the zero value is the session.
	Share middleware.Sharing
	// Reach is whose calls a write concerns, as the cache's. It is never narrower than
	// Share, which is what the zero value means.
	Reach middleware.Sharing
	// History is how long a finished call answers later twins of its owner; 0 is within its
	// batch only.
	History time.Duration
	// MaxAnswers is how many finished calls are remembered, of all owners; 0 is 10,000. The
	// longest unused leave first.
	MaxAnswers int
	// MaxBytes is how much memory they may take, about; 0 is 32 MiB. One that takes more than
	// a sixteenth of it is not remembered.
	MaxBytes int
}

// check returns the options with their defaults, or an error that names the first field
// that is wrong, what it is and what is wanted.
func (o Options) check() (Options, error) {
	wrong := func(field string, got any, want string) (Options, error) {
		return Options{}, fmt.Errorf("dedupe: Options.%s: got %v, want %s", field, got, want)
	}
	for i, name := range o.Tools {
		if name == "" {
			return wrong(fmt.Sprintf("Tools[%d]", i), `""`, "the name of a tool")
		}
	}
	switch {
	case o.Share > middleware.Global:
		return wrong("Share", uint8(o.Share), "PerSession, PerTenant or Global")
	case o.Reach > middleware.Global:
		return wrong("Reach", uint8(o.Reach), "PerSession, PerTenant or Global")
	case o.Reach != middleware.PerSession && o.Reach < o.Share:
		return wrong("Reach", o.Reach, "at least Share, which is "+o.Share.String())
	case o.History < 0:
		return wrong("History", o.History, "0 or more")
	case o.MaxAnswers < 0:
		return wrong("MaxAnswers", o.MaxAnswers, "0 or more")
	case o.MaxBytes < 0:
		return wrong("MaxBytes", o.MaxBytes, "0 or more")
	}
	o.Reach = max(o.Reach, o.Share)
	if o.MaxAnswers == 0 {
		o.MaxAnswers = DefaultMaxAnswers
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return o, nil
}
