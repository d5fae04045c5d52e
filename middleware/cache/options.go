// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware"
)

// The defaults of [Options].
const (
	DefaultTTL            = 5 * time.Minute
	DefaultMaxBytes       = 64 << 20
	DefaultStoreTimeout   = 100 * time.Millisecond
	DefaultRefreshes      = 4
	DefaultRefreshTimeout = time.Minute
)

// Options of a cache. The zero value works.
type Options struct {
	// TTL is how long answers of tools without a CacheTTL are stored; 0 is 5 minutes,
	// below 0 stores no answers of theirs.
	TTL time.Duration
	// Tools are names of tools whose answers are stored though they do not say that
	// they are read-only or idempotent. Such a tool counts as one that does not write,
	// unless it says that it does.
	Tools []string
	// Share is who may be given a stored answer; the zero value is the session alone.
	Share middleware.Sharing
	// Reach is whose stored answers a write makes stale. It is never narrower than Share, which
	// is what the zero value means. A write outside any session makes everybody's stale.
	Reach middleware.Sharing
	// FaultTTL is how long a tool's own failures are stored; 0 stores none.
	FaultTTL time.Duration
	// StaleFor is how long, after its TTL, an answer is still given, with the tag
	// cache=stale, while the tool runs in the background to renew it; 0 is not at all.
	// An answer that a write made stale is never given.
	StaleFor time.Duration
	// Refreshes is how many tools may run in the background at once; 0 is 4. Beyond it
	// stale answers are given and not renewed. Only with StaleFor.
	Refreshes int
	// RefreshTimeout is how long each of them may run; 0 is 1 minute. Only with StaleFor.
	RefreshTimeout time.Duration
	// MaxBytes is how much memory answers and arguments may take, about; 0 is 64 MiB.
	// Not with a Store.
	MaxBytes int
	// Store keeps the answers; nil is a store in memory. It is the caller's to close.
	Store Store
	// StoreTimeout is how long a call waits for Store before it goes on without; 0 is
	// 100 ms. Only with a Store.
	StoreTimeout time.Duration
}

// check returns the options with their defaults, or an error that names the first field
// that is wrong, what it is and what is wanted.
func (o Options) check() (Options, error) {
	wrong := func(field string, got any, want string) (Options, error) {
		return Options{}, fmt.Errorf("cache: Options.%s: got %v, want %s", field, got, want)
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
	case o.FaultTTL < 0:
		return wrong("FaultTTL", o.FaultTTL, "0 or more")
	case o.StaleFor < 0:
		return wrong("StaleFor", o.StaleFor, "0 or more")
	case o.Refreshes < 0:
		return wrong("Refreshes", o.Refreshes, "0 or more")
	case o.RefreshTimeout < 0:
		return wrong("RefreshTimeout", o.RefreshTimeout, "0 or more")
	case o.Refreshes > 0 && o.StaleFor == 0:
		return wrong("Refreshes", o.Refreshes, "0 without StaleFor")
	case o.RefreshTimeout > 0 && o.StaleFor == 0:
		return wrong("RefreshTimeout", o.RefreshTimeout, "0 without StaleFor")
	case o.MaxBytes < 0:
		return wrong("MaxBytes", o.MaxBytes, "0 or more")
	case o.MaxBytes > 0 && o.Store != nil:
		return wrong("MaxBytes", o.MaxBytes, "0 with a Store, which has bounds of its own")
	case o.StoreTimeout < 0:
		return wrong("StoreTimeout", o.StoreTimeout, "0 or more")
	case o.StoreTimeout > 0 && o.Store == nil:
		return wrong("StoreTimeout", o.StoreTimeout, "0 without a Store")
	}
	o.Reach = max(o.Reach, o.Share)
	o.TTL = or(o.TTL, DefaultTTL)
	o.MaxBytes = or(o.MaxBytes, DefaultMaxBytes)
	o.StoreTimeout = or(o.StoreTimeout, DefaultStoreTimeout)
	o.Refreshes = or(o.Refreshes, DefaultRefreshes)
	o.RefreshTimeout = or(o.RefreshTimeout, DefaultRefreshTimeout)
	return o, nil
}

func or[T int | time.Duration](v, whenZero T) T {
	if v == 0 {
		return whenZero
	}
	return v
}
