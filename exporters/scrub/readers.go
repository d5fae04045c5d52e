// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import (
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/internal/memo"
	"github.com/toolscope/toolscope/redact"
)

// readers find how the value of a key is to be read. They remember a bounded number of keys.
type readers struct {
	redactor *redact.Redactor
	known    *memo.Table[remembered, reading]
}

type remembered struct {
	library *library
	key     attribute.Key
}

// rememberedKeys is how many keys are remembered at most.
const rememberedKeys = 1 << 10

// maxKey is the length of a key that is remembered.
const maxKey = 256

func newReaders(r *redact.Redactor) *readers {
	return &readers{r, memo.NewTable[remembered, reading](rememberedKeys)}
}

func (r *readers) readingOf(l *library, key attribute.Key) reading {
	if len(key) > maxKey {
		return asNamed
	}
	hash, k := memo.String(string(key)), remembered{l, key}
	if how, ok := r.known.Load(hash, k); ok {
		return how
	}
	how := r.find(l, string(key))
	r.remember(hash, k, how)
	return how
}

// remember stores a reading. What is not stored costs no allocation: two keys of every span may share a slot.
func (r *readers) remember(hash uint64, k remembered, how reading) {
	if r.known.Yields(hash) {
		k.key = attribute.Key(strings.Clone(string(k.key)))
		r.known.Store(hash, k, how)
	}
}

// find looks in the library's own profile, then in those that hold for any library. A key that no
// profile has is read by its name if that says something.
func (r *readers) find(l *library, key string) reading {
	for _, rules := range [...][]rule{l.rules, general} {
		for _, one := range rules {
			if one.matches(key) {
				return one.how
			}
		}
	}
	if r.redactor.NameTells(key) {
		return asNamed
	}
	return asText
}

// secretParameter reports whether the name of a parameter says that its value is a secret.
func (r *readers) secretParameter(name string) bool {
	if len(name) > maxKey {
		return true
	}
	hash, k := memo.String(name), remembered{nil, attribute.Key(name)}
	if how, ok := r.known.Load(hash, k); ok {
		return how == asNamed
	}
	how := asText
	if r.tells(name) {
		how = asNamed
	}
	r.remember(hash, k, how)
	return how == asNamed
}

func (r *readers) tells(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	switch strings.ToLower(name) {
	case "code", "sig", "signature", "session", "sessionid", "sid":
		return r.redactor.NameTells("password") // not with redaction off
	}
	return r.redactor.NameTells(name)
}
