// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reuse

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/mix"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/owner"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// A Scope is which tools' calls may share answers, and with which other calls. Make one with [NewScope].
type Scope struct {
	tools        map[string]bool // by name, those that the options vouch for
	share, reach middleware.Sharing
}

// NewScope is for options that were checked.
func NewScope(tools []string, share, reach middleware.Sharing) Scope {
	s := Scope{map[string]bool{}, share, reach}
	for _, name := range tools {
		s.tools[name] = true
	}
	return s
}

// Classify reports whether calls of a tool may share answers, and whether they may write: all may write that do not say
// they only read. A tool that the options name counts as one that does not write, unless it says that it does.
func (s *Scope) Classify(name string, tool *toolkit.Definition) (shares, writes bool) {
	named := len(s.tools) > 0 && s.tools[name]
	if tool == nil {
		return named, !named
	}
	shares = named || tool.ReadOnly == toolkit.Yes || tool.Idempotent == toolkit.Yes
	return shares, tool.ReadOnly == toolkit.No || tool.ReadOnly == toolkit.Unsaid && !named
}

// A Key is which calls have the same answer. Its arguments are the call's, and last as long as the call unless they
// were kept.
type Key struct {
	Owner     middleware.Owner // whose calls may share the answer
	Reach     middleware.Owner // whose writes make it stale, besides those of the zero Owner
	Tool      string
	Arguments *identity.Arguments
	Resources []string // what the tool reads; none is anything
}

// Why a call has no key: the values of the policies' tags.
const (
	Unscoped   = "unscoped"
	NoIdentity = "no_identity"
)

// Fill sets the key of a call, or returns why it has none.
func (s *Scope) Fill(k *Key, call *toolkit.Call, tool *toolkit.Definition) (why string) {
	session := call.Record.Session()
	var ok bool
	if k.Owner, ok = owner.ForSession(session, s.share); !ok {
		return Unscoped
	}
	if k.Arguments, ok = call.Record.Identity(*call); !ok {
		return NoIdentity
	}
	k.Reach, k.Tool, k.Resources = k.Owner, call.Name, Resources(tool)
	if s.reach != s.share {
		k.Reach, _ = owner.ForSession(session, s.reach)
	}
	return ""
}

// Writer is whose answers a write of the call makes stale: those of all owners, the zero one, if the call has none.
func (s *Scope) Writer(call toolkit.Call) middleware.Owner {
	o, _ := owner.ForSession(call.Record.Session(), s.reach)
	return o
}

// Hash is the same for equal keys, in this process. ownerHash is [OwnerHash] of the owner.
func (k *Key) Hash(ownerHash uint64) uint64 {
	return mix.Hashes(ownerHash^k.Arguments.Hash(), maphash.String(seed, k.Tool))
}

// Equal reports whether two calls have the same answer.
func (k *Key) Equal(o *Key) bool {
	return k.Tool == o.Tool && k.Owner == o.Owner && k.Arguments.Equal(o.Arguments)
}

// Resources are the tool's; nil, which is anything, for an unknown tool.
func Resources(tool *toolkit.Definition) []string {
	if tool == nil {
		return nil
	}
	return tool.Resources
}

// Unkeyed counts calls without a key.
type Unkeyed struct{ Unscoped, NoIdentity atomic.Uint64 }

// Count counts a call that has no key, for a reason that [Scope.Fill] gave.
func (u *Unkeyed) Count(why string) {
	if why == Unscoped {
		u.Unscoped.Add(1)
		return
	}
	u.NoIdentity.Add(1)
}

// Figures reports the counts.
func (u *Unkeyed) Figures(report func(name string, value float64)) {
	report("unscoped", float64(u.Unscoped.Load()))
	report("no_identity", float64(u.NoIdentity.Load()))
}
