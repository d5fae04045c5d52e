// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reuse

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/toolscope/toolscope/middleware"
)

// Digest is the same for equal keys, in any process: 64 hexadecimal characters.
func (k *Key) Digest() string {
	text := strconv.AppendQuote(nil, k.Owner.Tenant)
	text = strconv.AppendQuote(text, k.Owner.Session)
	text = strconv.AppendQuote(text, k.Tool)
	sum := sha256.Sum256(k.Arguments.AppendCanonical(text))
	return hex.EncodeToString(sum[:])
}

// Counters are the names of the counters of a key's writes, in any process.
func (k *Key) Counters() []string {
	names := readCounters(nil, k.Reach, k.Resources)
	return readCounters(names, middleware.Owner{}, k.Resources)
}

func readCounters(names []string, owner middleware.Owner, resources []string) []string {
	if len(resources) == 0 {
		return append(names, counter(owner, "any write"))
	}
	names = append(names, counter(owner, "write of anything"))
	for _, r := range resources {
		names = append(names, counter(owner, "resource", r))
	}
	return names
}

// WriteCounters are the names of the counters that an owner's write of the resources adds to, in any process.
func WriteCounters(owner middleware.Owner, resources []string) []string {
	names := []string{counter(owner, "any write")}
	if len(resources) == 0 {
		names = append(names, counter(owner, "write of anything"))
	}
	for _, r := range resources {
		names = append(names, counter(owner, "resource", r))
	}
	return names
}

func counter(owner middleware.Owner, parts ...string) string {
	text := strconv.AppendQuote(nil, owner.Tenant)
	text = strconv.AppendQuote(text, owner.Session)
	for _, p := range parts {
		text = strconv.AppendQuote(text, p)
	}
	return string(text)
}
