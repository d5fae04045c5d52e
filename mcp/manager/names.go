// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// maxExposed is how long a name may be for all model providers.
	maxExposed = 64
	separator  = "__"
	// maxPrefix is how much of a long server's name stands before its tools'.
	maxPrefix = 24
)

// namespaced is the name of a server's tool: no two that it does not have to change are
// equal, since a prefix has no separator in it and does not end with half of one.
func namespaced(server, tool string) string {
	prefix, rest := safe(server), safe(tool)
	name := prefix + separator + rest
	plain := prefix == server && rest == tool && !strings.Contains(prefix, separator) && !strings.HasSuffix(prefix, "_")
	if plain && len(name) <= maxExposed {
		return name
	}
	if len(prefix) > maxPrefix {
		name = prefix[:maxPrefix] + separator + rest
	}
	return hashed(name, server, tool)
}

// shared is the name of a tool that several servers may have.
func shared(tool string) string {
	name := safe(tool)
	if name == tool && len(name) <= maxExposed {
		return name
	}
	return hashed(name, "", tool)
}

// hashed is a name made different by what it stands for.
func hashed(name, server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxExposed-len(suffix))] + suffix
}

// safe replaces what is no letter or digit of ASCII, "_" or "-".
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
