// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The most that is examined: of a value, and of all texts of a span.
const (
	maxValue = 64 << 10
	maxSpan  = 1 << 20
	maxDepth = 16
)

// notExamined stands for texts beyond a limit.
const notExamined = "[REDACTED:unscanned]"

// A cleaned span is another one with texts that were redacted.
type cleaned struct {
	sdktrace.ReadOnlySpan
	name       string
	status     sdktrace.Status
	attributes []attribute.KeyValue
	events     []sdktrace.Event
	links      []sdktrace.Link
}

func (c *cleaned) Name() string                     { return c.name }
func (c *cleaned) Status() sdktrace.Status          { return c.status }
func (c *cleaned) Attributes() []attribute.KeyValue { return c.attributes }
func (c *cleaned) Events() []sdktrace.Event         { return c.events }
func (c *cleaned) Links() []sdktrace.Link           { return c.links }

// emptied is a span without its texts.
func emptied(s sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan {
	c := &cleaned{ReadOnlySpan: s, name: notExamined, status: s.Status()}
	if c.status.Description != "" {
		c.status.Description = notExamined
	}
	return c
}

// A visit redacts one span. Nothing is copied until something changes.
type visit struct {
	exporter *Exporter
	left     int // bytes that may still be examined
	values   int // texts that were changed
	library  *library
	result   *cleaned
}

// copied is the copy, made at the first change.
func (v *visit) copied(s sdktrace.ReadOnlySpan) *cleaned {
	if v.result == nil {
		v.result = &cleaned{s, s.Name(), s.Status(), s.Attributes(), s.Events(), s.Links()}
	}
	return v.result
}

// look reports whether s had something to remove; then v.result is what to send.
func (v *visit) look(s sdktrace.ReadOnlySpan) bool {
	v.library = libraryOf(s.InstrumentationScope().Name)
	if !v.library.own {
		if name, changed := v.text(s.Name(), asText, ""); changed {
			v.copied(s).name = name
		}
		if status := s.Status(); status.Description != "" {
			if text, changed := v.text(status.Description, asText, ""); changed {
				v.copied(s).status.Description = text
			}
		}
	}
	if list, changed := v.attributes(s.Attributes(), 0); changed {
		v.copied(s).attributes = list
	}
	for i, e := range s.Events() {
		name, renamed := v.text(e.Name, asText, "")
		list, changed := v.attributes(e.Attributes, 0)
		if renamed || changed {
			c := v.copied(s)
			if &c.events[0] == &s.Events()[0] {
				c.events = slices.Clone(c.events)
			}
			c.events[i].Name, c.events[i].Attributes = name, list
		}
	}
	for i, l := range s.Links() {
		if list, changed := v.attributes(l.Attributes, 0); changed {
			c := v.copied(s)
			if &c.links[0] == &s.Links()[0] {
				c.links = slices.Clone(c.links)
			}
			c.links[i].Attributes = list
		}
	}
	return v.result != nil
}

// attributes redacts a list. The list itself is returned if nothing changes.
func (v *visit) attributes(list []attribute.KeyValue, depth int) (out []attribute.KeyValue, changed bool) {
	out = list
	for i := range list {
		how := v.exporter.readers.readingOf(v.library, list[i].Key)
		if how == asIs {
			continue
		}
		value, differs := v.value(list[i].Value, how, string(list[i].Key), depth)
		if !differs {
			continue
		}
		if !changed {
			out, changed = slices.Clone(list), true
		}
		out[i].Value = value
	}
	return out, changed
}
