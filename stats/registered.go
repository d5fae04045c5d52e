// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"reflect"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// lister lists the definitions of tools that are registered.
type lister = interface{ Definitions() []toolkit.Definition }

// maxListers bounds what [Recorder.Register] keeps.
const maxListers = 64

// registeredTools are the lists of a recorder.
type registeredTools struct {
	mu    sync.Mutex
	lists []lister
}

// Register adds registered tools to those of [Options].Registered, so that the recorder can name
// those never used. A [toolkit.Registry] lists its definitions; readers ask it, from any goroutine. A
// pointer that is registered again counts once; of more than 64 lists the earliest is forgotten. A
// nil list is ignored.
func (r *Recorder) Register(tools interface{ Definitions() []toolkit.Definition }) {
	if tools == nil {
		return
	}
	pointer := reflect.TypeOf(tools).Kind() == reflect.Pointer // others may not be comparable
	l := &r.registered
	l.mu.Lock()
	defer l.mu.Unlock()
	if pointer && slices.ContainsFunc(l.lists, func(known lister) bool { return known == tools }) {
		return
	}
	if len(l.lists) == maxListers {
		l.lists = slices.Delete(l.lists, 0, 1)
	}
	l.lists = append(l.lists, tools)
}

// registeredNames are the names of the registered tools, sorted, each once; false
// if none was registered.
func (r *Recorder) registeredNames() ([]string, bool) {
	r.registered.mu.Lock()
	lists := slices.Clone(r.registered.lists)
	r.registered.mu.Unlock()
	var names []string
	add := func(list func() []toolkit.Definition) {
		for _, d := range list() {
			names = append(names, r.config.names.shownAs(d.Name))
		}
	}
	if r.config.Registered != nil {
		add(r.config.Registered)
	}
	for _, l := range lists {
		add(l.Definitions)
	}
	slices.Sort(names)
	return slices.Compact(names), len(lists) > 0 || r.config.Registered != nil
}
