// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe

import (
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
)

// Options of the policy. The zero value works.
type Options struct {
	// Tools are names of tools whose calls may be duplicates although they do not say that they are read-only
	// or idempotent. Such a tool counts as one that does not write, unless it says that it does.
	Tools []string `yaml:"tools" doc:"Tools whose calls may be duplicates although they do not say that they only read."`
	// Share is among which calls duplicates are looked for; the zero value is those of the session.
	Share middleware.Sharing `yaml:"share" allowed:"session,tenant,global" doc:"Calls that share answers; default session."`
	// Reach is whose calls a write concerns, like the cache's. It is never narrower than Share, which is what
	// the zero value means.
	Reach middleware.Sharing `yaml:"reach" allowed:"session,tenant,global" doc:"Whose calls a write concerns; default share."`
	// History is how long a finished call answers later duplicates of its owner; 0 is within its batch only.
	History time.Duration `yaml:"history" doc:"How long a finished call answers later duplicates; default within its batch only."`
	// MaxAnswers is how many finished calls are remembered, of all owners; 0 is 10,000. The longest unused
	// are removed first.
	MaxAnswers int `yaml:"max_answers" doc:"Finished calls remembered; default 10000."`
	// MaxBytes is how much memory they may take, about; 0 is 32 MiB. One that takes more than a sixteenth of
	// it is not remembered.
	MaxBytes int `yaml:"max_bytes" unit:"bytes" doc:"Memory they may take; default 32MiB."`
	// Flights lets processes that share it run identical calls once; nil looks for duplicates in this process.
	// While it does not answer, each process runs its own. A write then costs two questions, and a call that may be a
	// duplicate two or more. The caller closes it.
	Flights Flights `yaml:"-"`
	// Lease is for how long a process that runs a call is waited for, after it was last heard of; 0 is 5 seconds.
	// Only with Flights.
	Lease time.Duration `yaml:"lease" doc:"With a shared store: wait for a process that is silent; default 5s."`
}

// check returns the options with their defaults, or an error that names the first field that is wrong.
func (o Options) check() (Options, error) {
	c := check.Options{Package: "dedupe"}
	c.Tools("Tools", o.Tools)
	o.Reach = c.Sharing(o.Share, o.Reach)
	c.NotNegative("History", o.History)
	check.Default(&c, "MaxAnswers", &o.MaxAnswers, 10_000)
	check.Default(&c, "MaxBytes", &o.MaxBytes, 32<<20)
	c.If(o.Lease != 0 && o.Lease < 100*time.Millisecond, "Lease", o.Lease, "100ms or more, or 0 for 5s")
	check.Default(&c, "Lease", &o.Lease, 5*time.Second)
	return o, c.Err()
}
