// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"sort"
	"time"

	"github.com/toolscope/toolscope/internal/errorgroups"
	"github.com/toolscope/toolscope/stats/internal/journal"
)

// appendInterval appends an interval as files have it: its start and end, the tools, and the error
// groups counted in it with their texts, so that each record stands for itself. groups are those of
// its errors that have a text, with Open as their count in it.
func appendInterval(b []byte, s *sealed, groups []errorgroups.Group) []byte {
	b = appendInt(b, s.start)
	b = appendInt(b, s.end)
	b = appendBytes(b, s.tools)
	b = appendUint(b, uint64(len(groups)))
	for i := range groups {
		g := &groups[i]
		b = appendUint(b, g.Open)
		for _, text := range []string{g.Tool, g.Kind, g.Message, g.Example} {
			b = appendBytes(b, text)
		}
		b = appendInt(b, g.First)
		b = appendInt(b, g.Last)
		for _, id := range g.Traces {
			b = append(b, id[:]...)
		}
	}
	return b
}

// keep writes an interval that was sealed to the directory.
func (r *Recorder) keep(s *sealed) {
	if r.journal == nil {
		return
	}
	texts := r.errors.Texts(s.errors)
	if ahead := r.clock.Ahead(); ahead != 0 { // files have times of the wall clock
		s = s.moved(-ahead)
		for i := range texts {
			texts[i].First -= ahead
			texts[i].Last -= ahead
		}
	}
	r.journal.Append(appendInterval(make([]byte, 0, 64+len(s.tools)), s, texts))
}

// Notes are what was wrong with [Options].Directory: what could not be read back, and the first
// error of writing. At most 20 are kept.
func (r *Recorder) Notes() []string { return r.journal.Notes() }

// openJournal reads back what the directory holds.
func (r *Recorder) openJournal(c *config) (err error) {
	in := restorer{history: &r.history, errors: r.errors, policies: &r.policies, now: r.started, maxTools: c.MaxTools}
	o := journal.Options{Directory: c.Directory, MaxBytes: c.MaxDirectoryBytes, Retention: c.Retention, Now: c.now}
	if r.journal, err = journal.Open(o, in.restore); err != nil {
		return err
	}
	in.finish()
	if in.later > 0 {
		r.journal.Note("%d intervals begin after the time now, since the system clock was set back: "+
			"they are counted in the total only", in.later)
	}
	return nil
}

// readInterval reads what appendInterval appends.
func readInterval(b []byte) (s sealed, tools []ToolSnapshot, groups []errorgroups.Group, err error) {
	d := decoder{rest: b}
	s.start, s.end = d.int(), d.int()
	s.tools = bytes.Clone(d.next(d.count()))
	for range d.count() {
		g := errorgroups.Group{
			Open: d.uint(), Tool: d.string(), Kind: d.string(), Message: d.string(), Example: d.string(), First: d.int(), Last: d.int(),
		}
		for i := range g.Traces {
			copy(g.Traces[i][:], d.next(len(g.Traces[i])))
		}
		if d.err != nil {
			break
		}
		g.ID = errorgroups.ID(g.Tool, g.Kind, g.Message)
		groups = append(groups, g)
	}
	if s.end <= s.start {
		d.fail()
	}
	if d.err == nil {
		in := decoder{rest: s.tools}
		tools = in.tools()
		d.err = in.err
	}
	return s, tools, groups, d.err
}

// restorer brings the intervals of files back.
type restorer struct {
	history  *history
	errors   *errorgroups.Table
	policies *policyTable
	now      int64
	maxTools int

	tools   map[string]bool
	pending int
	future  []*sealed // intervals after now, not yet in the archive
	later   int       // how many there were
}

// restore brings one interval back. One that begins after now was written before the system clock
// was set back. When its calls ended is not known, so it counts in the total only: else windows
// would show them as new when the clock gets there.
func (r *restorer) restore(body []byte) error {
	s, tools, groups, err := readInterval(body)
	if err != nil {
		return err
	}
	late := s.end > r.now
	if late {
		limitTimes(tools, r.now)
	}
	if r.bound(tools) || late {
		s.tools = appendTools(nil, mergeTools([][]ToolSnapshot{tools}, false))
	}
	for i := range groups {
		g := &groups[i]
		g.First, g.Last = min(g.First, r.now), min(g.Last, r.now)
		s.errors = append(s.errors, errorgroups.Count{ID: g.ID, Count: g.Open})
		r.errors.Restore(g)
	}
	if s.start > r.now {
		s.start, s.end = r.now, r.now
		r.future = append(r.future, &s)
		r.later++
	} else {
		r.history.intervals = append(r.history.intervals, s)
	}
	if r.pending++; r.pending == 1000 {
		r.finish()
	}
	return nil
}

// limitTimes makes now the latest time of tools.
func limitTimes(tools []ToolSnapshot, now int64) {
	latest := time.Unix(0, now).UTC()
	for i := range tools {
		t := &tools[i]
		t.LastSeen = minTimeOf(t.LastSeen, latest)
		for x := range t.Exemplars {
			t.Exemplars[x].Time = minTimeOf(t.Exemplars[x].Time, latest)
		}
	}
}

// bound counts tools and facts beyond the maximum under Other; it reports whether
// there were any.
func (r *restorer) bound(tools []ToolSnapshot) (changed bool) {
	if r.tools == nil {
		r.tools = map[string]bool{UnknownTool: true, Other: true}
	}
	for i := range tools {
		for p := range tools[i].Policies {
			c := &tools[i].Policies[p]
			n := r.policies.number(PolicyTag{clipText(c.Key, maxPolicyText), clipText(c.Value, maxPolicyText)})
			if tag := r.policies.load().tag(n); tag != c.PolicyTag {
				c.PolicyTag, changed = tag, true
			}
		}
		tools[i].Policies = sumPolicies(tools[i].Policies)
		name := tools[i].Tool
		if r.tools[name] {
			continue
		}
		if len(r.tools)-sharedTools >= r.maxTools {
			tools[i].Tool, changed = Other, true
			continue
		}
		r.tools[name] = true
	}
	return changed
}

// byStart sorts intervals. The generic sort of the library would make programs larger.
type byStart []sealed

func (l byStart) Len() int           { return len(l) }
func (l byStart) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l byStart) Less(i, j int) bool { return l[i].start < l[j].start }

// finish puts what was read into order and rolls it up.
func (r *restorer) finish() {
	if r.pending == 0 {
		return
	}
	r.pending = 0
	r.history.fold(r.future, r.errors.Knows)
	r.future = nil
	sort.Stable(byStart(r.history.intervals))
	r.history.compact(r.now, r.errors.Knows)
}
