// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/check"
)

// Options of a cache. The zero value works.
type Options struct {
	// TTL is how long answers of tools without a CacheTTL are stored; 0 is 5 minutes, below 0 stores none of
	// these answers.
	TTL time.Duration `yaml:"ttl" doc:"Of tools whose definition sets none; default 5m, below 0 stores none of these."`
	// Tools are names of tools whose answers are stored although they do not say that they are read-only or
	// idempotent. Such a tool counts as one that does not write, unless it says that it does.
	Tools []string `yaml:"tools" doc:"Tools whose answers are stored although they do not say that they only read."`
	// Share is which calls may get a stored answer; the zero value is those of the session.
	Share middleware.Sharing `yaml:"share" allowed:"session,tenant,global" doc:"Calls that share answers; default session."`
	// Reach is whose stored answers a write makes stale. It is never narrower than Share, which is what the
	// zero value means. A write outside any session makes all answers stale.
	Reach middleware.Sharing `yaml:"reach" allowed:"session,tenant,global" doc:"Whose answers a write makes stale; default share."`
	// FaultTTL is how long a tool's own failures are stored; 0 stores none.
	FaultTTL time.Duration `yaml:"fault_ttl" doc:"How long a tool's own failures are stored; default not at all."`
	// StaleFor is how long, after its TTL, an answer is still given, with the tag cache=stale, while the tool
	// runs in the background to renew it; 0 is not at all. An answer that a write made stale is never given.
	StaleFor time.Duration `yaml:"stale_for" doc:"How long an expired answer is given while it is renewed; default not at all."`
	// Refreshes is how many tools may run in the background at once; 0 is 4. Beyond it stale answers are
	// given and not renewed. Only with StaleFor.
	Refreshes int `yaml:"refreshes" doc:"How many tools may renew answers concurrently; default 4; wants stale_for."`
	// RefreshTimeout is how long each of them may run; 0 is 1 minute. Only with StaleFor.
	RefreshTimeout time.Duration `yaml:"refresh_timeout" doc:"How long each may run; default 1m; wants stale_for."`
	// MaxBytes is how much memory answers and arguments may take, about; 0 is 64 MiB. Not with a Store.
	MaxBytes int `yaml:"max_bytes" unit:"bytes" doc:"Memory for answers; default 64MiB."`
	// Store keeps the answers; nil is a store in memory. The caller closes it.
	Store Store `yaml:"-"`
	// StoreTimeout is how long a call waits for Store before it goes on without; 0 is 100 ms. Only with a Store.
	StoreTimeout time.Duration `yaml:"-"`
}

const defaultMaxBytes = 64 << 20

// check returns the options with their defaults, or an error that names the first field that is wrong.
func (o Options) check() (Options, error) {
	c := check.Options{Package: "cache"}
	c.Tools("Tools", o.Tools)
	o.Reach = c.Sharing(o.Share, o.Reach)
	c.NotNegative("FaultTTL", o.FaultTTL)
	c.NotNegative("StaleFor", o.StaleFor)
	c.If(o.Refreshes > 0 && o.StaleFor == 0, "Refreshes", o.Refreshes, "0 without StaleFor")
	c.If(o.RefreshTimeout > 0 && o.StaleFor == 0, "RefreshTimeout", o.RefreshTimeout, "0 without StaleFor")
	c.If(o.MaxBytes > 0 && o.Store != nil, "MaxBytes", o.MaxBytes, "0 with a Store, which has bounds of its own")
	c.If(o.StoreTimeout > 0 && o.Store == nil, "StoreTimeout", o.StoreTimeout, "0 without a Store")
	if o.TTL == 0 {
		o.TTL = 5 * time.Minute
	}
	check.Default(&c, "MaxBytes", &o.MaxBytes, defaultMaxBytes)
	check.Default(&c, "StoreTimeout", &o.StoreTimeout, 100*time.Millisecond)
	check.Default(&c, "Refreshes", &o.Refreshes, 4)
	check.Default(&c, "RefreshTimeout", &o.RefreshTimeout, time.Minute)
	return o, c.Err()
}
