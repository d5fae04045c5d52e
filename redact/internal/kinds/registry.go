// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package kinds

import "fmt"

// A Kind is a kind of secret or personal data that is looked for.
type Kind struct {
	Name    string
	Group   string // a group* constant
	About   string // half a sentence for people, without a sample of the secret
	Default bool   // it is looked for unless options say otherwise
}

// All is the registry: an ID is an index into it. It is filled while package-level
// variables are initialised and by the packages of detectors, and does not change after.
var (
	All    []Kind
	ByName = make(map[string]ID) // by name
)

// New registers a kind, or finds the one of that name. on says whether it is on by
// default.
func New(name, group, about string, on bool) ID {
	if id, ok := ByName[name]; ok {
		return id
	}
	if len(All) == maxKinds {
		panic(fmt.Sprintf("redact: more than %d kinds", maxKinds))
	}
	All = append(All, Kind{Name: name, Group: group, About: about, Default: on})
	ByName[name] = ID(len(All) - 1)
	return ByName[name]
}

// Name is the name of the kind.
func (id ID) Name() string { return All[id].Name }

// Group is the group of the kind.
func (id ID) Group() string { return All[id].Group }
