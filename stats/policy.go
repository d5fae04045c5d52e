// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscope/toolscope/internal/histogram"
	"github.com/toolscope/toolscope/toolkit"
)

// A PolicyTag is a tag that a policy recorded on a call ([toolkit.Record.Tag]), as
// "cache" and "hit". Key and value have passed the redactor and have at most 64
// bytes each.
type PolicyTag struct {
	Key   string `json:"key"`   // key of the tag, without toolscope.
	Value string `json:"value"` // value of the tag
}

// A PolicyCount is how many calls have a tag.
type PolicyCount struct {
	PolicyTag
	Count uint64 `json:"count"` // number of calls with this tag
}

// The bounds of tags. Values of a key beyond the first maxPolicyValues
// different ones are counted as "other" of that key, since some are different for
// each call; keys beyond the first maxPolicyTags facts as one fact, otherPolicyTag.
const (
	maxPolicyTags   = 128
	maxPolicyValues = 12
	maxPolicyText   = 64
	otherPolicyTag  = maxPolicyTags
	maxCallTags     = 16 // of one call, as toolkit bounds them
)

// policyTable numbers the tags of policies, in the order in which they are
// first seen.
type policyTable struct {
	known atomic.Pointer[policySet]
	mu    sync.Mutex // held to add one
}

// policySet does not change once stored.
type policySet struct {
	list    []PolicyTag
	numbers map[PolicyTag]uint8
}

func (t *policyTable) load() *policySet {
	if s := t.known.Load(); s != nil {
		return s
	}
	return &policySet{}
}

// tag is the fact of a number.
func (s *policySet) tag(n uint8) PolicyTag {
	if int(n) < len(s.list) {
		return s.list[n]
	}
	return PolicyTag{Key: Other}
}

// find is the number that a fact has, or would share with others; false if it is to
// have one of its own.
func (s *policySet) find(tag PolicyTag) (uint8, bool) {
	if n, ok := s.numbers[tag]; ok {
		return n, true
	}
	if n, ok := s.numbers[PolicyTag{tag.Key, Other}]; ok {
		return n, true
	}
	return otherPolicyTag, len(s.list) == maxPolicyTags || tag == PolicyTag{Key: Other}
}

// number is the number of a fact that was redacted: a new one if there is room.
func (t *policyTable) number(tag PolicyTag) uint8 {
	if n, ok := t.load().find(tag); ok {
		return n
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.load()
	if n, ok := old.find(tag); ok {
		return n
	}
	values := 0
	for _, other := range old.list {
		if other.Key == tag.Key {
			values++
		}
	}
	if values == maxPolicyValues {
		tag.Value = Other
	}
	n := uint8(len(old.list))
	tag = PolicyTag{strings.Clone(tag.Key), strings.Clone(tag.Value)}
	next := &policySet{list: append(slices.Clone(old.list), tag), numbers: make(map[PolicyTag]uint8, len(old.list)+1)}
	maps.Copy(next.numbers, old.numbers)
	next.numbers[tag] = n
	t.known.Store(next)
	return n
}

// callTags are the numbers of the facts of one call, each once, and, where they do not
// say everything, the tags themselves.
type callTags struct {
	n     uint8
	list  [maxCallTags]uint8
	texts []PolicyTag
}

// tagsOf finds the numbers of a call's facts. A fact that has a number of its own costs a
// look-up; another one is redacted, and what it was before is not kept. One that
// differs from call to call ([toolkit.Tag.Varies]) is not counted.
func (t *policyTable) tagsOf(tags []toolkit.Tag, key func(string) string, redact func(string, int) string) (c callTags) {
	for _, raw := range tags[:min(len(tags), maxCallTags)] {
		tag := PolicyTag(raw)
		n, known := t.load().numbers[tag]
		if !known {
			tag = PolicyTag{clipText(key(tag.Key), maxPolicyText), clipText(redact(tag.Value, maxPolicyText), maxPolicyText)}
			if raw.Varies() {
				c.spell(tag, t.load())
				continue
			}
			if n = t.number(tag); t.load().tag(n) != tag {
				c.spell(tag, t.load())
			}
		}
		if c.texts != nil {
			c.spell(tag, nil)
		}
		if !slices.Contains(c.list[:c.n], n) {
			c.list[c.n] = n
			c.n++
		}
	}
	return c
}

// spell adds a fact to the texts, after those that had numbers only.
func (c *callTags) spell(tag PolicyTag, of *policySet) {
	if c.texts == nil {
		c.texts = append(make([]PolicyTag, 0, c.n+1), c.tags(of)...)
	}
	if !slices.Contains(c.texts, tag) {
		c.texts = append(c.texts, tag)
	}
}

// tags are the facts of a call; nil if there are none.
func (c *callTags) tags(of *policySet) []PolicyTag {
	if c.texts != nil || c.n == 0 {
		return c.texts
	}
	tags := make([]PolicyTag, 0, c.n)
	for _, n := range c.list[:c.n] {
		tags = append(tags, of.tag(n))
	}
	return tags
}

// policyCounts counts the facts of a tool's calls in the open interval, by their
// numbers.
type policyCounts [maxPolicyTags + 1]atomic.Uint32

// countTags counts the facts of a call of the tool.
func (t *tool) countTags(c callTags) {
	if c.n == 0 {
		return
	}
	counts := t.policies.Load()
	if counts == nil {
		t.policies.CompareAndSwap(nil, new(policyCounts))
		counts = t.policies.Load()
	}
	for _, n := range c.list[:c.n] {
		counts[n].Add(1)
	}
}

// takeCounts is what was counted, sorted; it is taken out if reset.
func (c *policyCounts) takeCounts(of *policyTable, reset bool) []PolicyCount {
	if c == nil {
		return nil
	}
	var out []PolicyCount
	for n := range c {
		count := c[n].Load()
		if count > 0 && reset {
			count = c[n].Swap(0)
		}
		if count > 0 { // so it has its number by now
			out = append(out, PolicyCount{of.load().tag(uint8(n)), uint64(count)})
		}
	}
	sort.Sort(byTag(out))
	return out
}

// byTag sorts counts by key and value, and byFrequency by key and then the most frequent first. The generic sort of the
// library would make programs larger.
type (
	byTag       []PolicyCount
	byFrequency []PolicyCount
)

func (l byTag) Len() int      { return len(l) }
func (l byTag) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l byTag) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].Key, l[j].Key), cmp.Compare(l[i].Value, l[j].Value)) < 0
}

func (l byFrequency) Len() int      { return len(l) }
func (l byFrequency) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l byFrequency) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].Key, l[j].Key), cmp.Compare(l[j].Count, l[i].Count)) < 0
}

// sumPolicies adds lists up, and sorts by key and value.
func sumPolicies(lists ...[]PolicyCount) []PolicyCount {
	sums := make(map[PolicyTag]uint64)
	for _, list := range lists {
		for _, c := range list {
			sums[c.PolicyTag] = histogram.AddCapped(sums[c.PolicyTag], c.Count)
		}
	}
	var out []PolicyCount
	for tag, n := range sums {
		out = append(out, PolicyCount{tag, n})
	}
	sort.Sort(byTag(out))
	return out
}

// subPolicies is what list has more than an earlier one.
func subPolicies(list, earlier []PolicyCount) []PolicyCount {
	var out []PolicyCount
	for _, c := range list {
		for _, old := range earlier {
			if old.PolicyTag == c.PolicyTag {
				c.Count -= min(c.Count, old.Count)
			}
		}
		if c.Count > 0 {
			out = append(out, c)
		}
	}
	return out
}

// frequentFirst is a copy in the order that people read: by key, and of a key the
// most frequent value first.
func frequentFirst(list []PolicyCount) []PolicyCount {
	out := slices.Clone(list)
	sort.Stable(byFrequency(out))
	return out
}

// What facts hold: the counters of a tool, its archived counts, and the table.
const (
	policyCountsSize  = 4 * (maxPolicyTags + 1)
	maxPolicyArchived = (2 + maxArchived) * (maxPolicyTags + 1)
	policyTableSize   = maxPolicyTags * (2*maxPolicyText + 2*2*32)
)
