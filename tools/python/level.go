// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"slices"
	"strings"
	"time"
)

// Level is how strictly programs are checked.
type Level string

// The levels, from the loosest. Each has a time limit of its own.
const (
	Lenient  Level = "lenient"  // 30 s, any module, no guard
	Standard Level = "standard" // 10 s, modules for computing and texts; the default
	Strict   Level = "strict"   // 5 s, modules for computing, no looking into objects
)

type rules struct {
	timeout            time.Duration
	guarded            bool
	modules, forbidden []string
}

// levels are the rules of each level. Modules that a Python does not have are simply
// absent there; collections.abc is a part of collections.
var levels = map[Level]rules{
	Lenient: {timeout: 30 * time.Second},
	Standard: {
		timeout: 10 * time.Second,
		guarded: true,
		modules: strings.Fields(`json csv re typing collections collections.abc itertools functools operator heapq ` +
			`bisect array copy pprint enum
			math cmath statistics random fractions decimal numbers datetime time calendar string textwrap ` +
			`unicodedata difflib base64 binascii
			quopri uu html xml.etree.ElementTree dataclasses hashlib hmac abc contextlib warnings logging`),
		forbidden: strings.Fields(standardForbids),
	},
	Strict: {
		timeout: 5 * time.Second,
		guarded: true,
		modules: strings.Fields(`collections collections.abc itertools functools operator array copy enum math ` +
			`cmath numbers fractions decimal
			random statistics string textwrap unicodedata typing dataclasses abc contextlib`),
		forbidden: strings.Fields(standardForbids + " dir hasattr getattr setattr delattr type isinstance issubclass"),
	},
}

const standardForbids = "eval exec compile __import__ open input globals locals vars breakpoint exit quit memoryview bytearray"

// with is the rules with further modules.
func (r rules) with(modules []string) rules {
	r.modules = slices.Concat(r.modules, modules)
	return r
}
