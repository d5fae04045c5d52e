// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "fmt"

// kinds is the registry: a kindID is an index into it. It is filled while package-level
// variables are initialised and by [allDetectors], and does not change after.
var (
	kinds   []Kind
	kindIDs = make(map[string]kindID) // by name
)

// newKind registers a kind, or finds the one of that name. on says whether it is on by
// default.
func newKind(name, group, about string, on bool) kindID {
	if id, ok := kindIDs[name]; ok {
		return id
	}
	if len(kinds) == maxKinds {
		panic(fmt.Sprintf("redact: more than %d kinds", maxKinds))
	}
	kinds = append(kinds, Kind{Name: name, Group: group, About: about, Default: on})
	kindIDs[name] = kindID(len(kinds) - 1)
	return kindIDs[name]
}
