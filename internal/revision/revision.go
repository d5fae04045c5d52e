// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package revision

import "slices"

// A Revision is one of the Model Context Protocol. Later ones are larger.
type Revision uint8

// The revisions.
const (
	Unknown Revision = iota // none was declared, or none that is known
	V20241105
	V20250326
	V20250618
	V20251125
	V20260728
	Later // declared, and newer than those that are known
	count
)

// Newest is the newest known revision, and LastWithSessions the newest one with a handshake.
const (
	Newest           = Later - 1
	LastWithSessions = V20251125
)

// answer says whether a revision has something. The zero value is no answer, so that a test finds rows without one.
type answer uint8

const (
	no answer = iota + 1
	yes
)

// row is what a revision has.
type row struct {
	name            string // as peers write it
	sessions        answer
	rounds          answer
	marksResults    answer
	mirroredHeaders answer
}

var rows = [count]row{
	Unknown:   {"", yes, no, no, no},
	V20241105: {"2024-11-05", yes, no, no, no},
	V20250326: {"2025-03-26", yes, no, no, no},
	V20250618: {"2025-06-18", yes, no, no, no},
	V20251125: {"2025-11-25", yes, no, no, no},
	V20260728: {"2026-07-28", no, yes, yes, yes},
	Later:     {"", no, yes, yes, yes},
}

// Parse is the known revision of a name, as a peer declares it; Unknown for any other.
func Parse(name string) Revision {
	if i := slices.IndexFunc(rows[:], func(r row) bool { return r.name == name }); i > 0 {
		return Revision(i)
	}
	return Unknown
}

// ParseLater is [Parse], and Later for a name that sorts after the newest known one. It is for those who refuse what
// a newer revision refuses as well.
func ParseLater(name string) Revision {
	if name > rows[Newest].name {
		return Later
	}
	return Parse(name)
}

// String is the name that peers use; "" for Unknown and Later.
func (r Revision) String() string { return rows[r].name }

// Before reports whether the revision is older than another one. Unknown is older than all.
func (r Revision) Before(other Revision) bool { return r < other }

// HasSessions reports whether peers begin with a handshake, and can give a session an id.
func (r Revision) HasSessions() bool { return rows[r].sessions == yes }

// HasRounds reports whether a tool can answer with requests for input, so that a call has several rounds.
func (r Revision) HasRounds() bool { return rows[r].rounds == yes }

// MarksResults reports whether each result says that it is complete.
func (r Revision) MarksResults() bool { return rows[r].marksResults == yes }

// DemandsMirroredHeaders reports whether headers of HTTP must repeat what a message says (SEP-2243).
func (r Revision) DemandsMirroredHeaders() bool { return rows[r].mirroredHeaders == yes }
