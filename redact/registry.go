// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "fmt"

// A kind is a kind of secret or personal data that is looked for.
type kind struct {
	Name    string
	Group   string // a group* constant
	About   string // half a sentence for people, without a sample of the secret
	Default bool   // it is looked for unless options say otherwise
}

// kinds is the registry: a kindID is an index into it. It is filled while package-level
// variables are initialised and by [allDetectors], and does not change after.
var (
	kinds   []kind
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
	kinds = append(kinds, kind{Name: name, Group: group, About: about, Default: on})
	kindIDs[name] = kindID(len(kinds) - 1)
	return kindIDs[name]
}

func (id kindID) name() string  { return kinds[id].Name }
func (id kindID) group() string { return kinds[id].Group }
