// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// The defaults of [Options].
const (
	defaultMaxOutput = 64 << 10
	defaultMaxMemory = 512 << 20
)

// Options say how programs run. The zero value works.
type Options struct {
	// Level is how strictly programs are checked; "" is [Standard].
	Level Level
	// ExtraModules are further modules that programs may import, by level, each by its
	// full name ("numpy", "numpy.linalg"); submodules count for themselves. Such a module is
	// trusted: what its public functions do, programs may do, within the walls. The
	// default is none; [Lenient] needs none.
	ExtraModules map[Level][]string
	// Timeout is the longest a program may run; 0 is the level's. A deadline of the
	// caller's context that comes first wins.
	Timeout time.Duration
	// MaxOutput is how many bytes of stdout, and as many of stderr, are kept, half of
	// them from the beginning and half from the end; 0 is 64 KiB.
	MaxOutput int
	// MaxMemory is the address space of the process in bytes; 0 is 512 MiB.
	MaxMemory int64
	// Python is the interpreter's path or its name in PATH; "" is python3.
	Python string
	// RequireWalls makes [New] fail unless the machine has all walls: Landlock, a
	// network namespace and a PID namespace. The default takes those there are.
	RequireWalls bool
}

// complete checks the options, puts in the defaults, and gives the level's rules.
func (o Options) complete() (Options, rules, error) {
	wrong := func(field string, got any, want string) (Options, rules, error) {
		return o, rules{}, fmt.Errorf("python: Options.%s: got %v, want %s", field, got, want)
	}
	o.Level = cmp.Or(o.Level, Standard)
	r, ok := levels[o.Level]
	switch {
	case !ok:
		return wrong("Level", fmt.Sprintf("%q", string(o.Level)), `"lenient", "standard" or "strict"`)
	case o.Timeout < 0:
		return wrong("Timeout", o.Timeout, "a duration above 0, or 0 for the level's")
	case o.MaxOutput < 0:
		return wrong("MaxOutput", o.MaxOutput, "a number of bytes above 0, or 0 for 64 KiB")
	case o.MaxMemory < 0:
		return wrong("MaxMemory", o.MaxMemory, "a number of bytes above 0, or 0 for 512 MiB")
	}
	for level, modules := range o.ExtraModules {
		if _, ok := levels[level]; !ok {
			return wrong("ExtraModules", fmt.Sprintf("the level %q", string(level)), `"lenient", "standard" or "strict"`)
		}
		for _, m := range modules {
			if !moduleName(m) {
				return wrong("ExtraModules", fmt.Sprintf("the module %q", m), `a module's full name, such as "numpy.linalg"`)
			}
		}
	}
	o.Timeout = cmp.Or(o.Timeout, r.timeout)
	o.MaxOutput = cmp.Or(o.MaxOutput, defaultMaxOutput)
	o.MaxMemory = cmp.Or(o.MaxMemory, defaultMaxMemory)
	o.Python = cmp.Or(o.Python, "python3")
	return o, r.with(o.ExtraModules[o.Level]), nil
}

// moduleName reports whether s is names with dots between them.
func moduleName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || part[0] <= '9' {
			return false
		}
	}
	return true
}
