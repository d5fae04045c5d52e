// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

// A gate lets a number of calls in at once. All gates of a policy are guarded by the
// one lock of its slots. A gate where a caller waits is full: a caller that leaves lets the next
// one in before any other caller can ask.
type gate struct {
	id    id
	scope Scope
	limit int
	in    int   // calls inside
	left  int   // those of them whose tool was abandoned and runs on
	due   int   // calls that wait for it, or on their way to it
	queue turns // calls that wait for it
}

func (g *gate) full() bool { return g.in >= g.limit }

// maxIdle is how many gates of a kind are kept though no caller uses them, so that
// those in frequent use are not made again for each call.
const maxIdle = 256

// maxName is the longest name of such a gate, in bytes. A registered tool's is shorter; what a
// model makes up may be anything.
const maxName = 256

// gates are the gates of one kind. There are never more than calls that run or
// wait, or maxIdle if that is more.
type gates struct {
	scope Scope
	all   map[id]*gate
	spare []*gate
}

// get returns the gate of that id, made if there is none.
func (t *gates) get(id id, limit int) *gate {
	g := t.all[id]
	if g == nil {
		if n := len(t.spare); n > 0 {
			g, t.spare = t.spare[n-1], t.spare[:n-1]
		} else {
			g = new(gate)
		}
		g.id, g.scope, g.limit = id, t.scope, limit
		t.all[id] = g
	}
	return g
}

// tidy forgets a gate that no call is in or due at, if there are many or its name is long.
func (t *gates) tidy(g *gate) {
	if g.in > 0 || g.due > 0 || len(t.all) <= maxIdle && len(g.id.name) <= maxName {
		return
	}
	delete(t.all, g.id)
	if len(t.spare) < maxIdle {
		g.id = id{}
		t.spare = append(t.spare, g)
	}
}
