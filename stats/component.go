// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscope/toolscope/internal/display"
)

// A Component is a part of the program that reports its state: the statistics themselves, an
// exporter, a queue, a spool.
type Component struct {
	Name string `json:"name"` // name of the component, such as statistics
	// Problems are what does not work, now or in the last few minutes; none if all is
	// well.
	Problems []string `json:"problems,omitempty"`
	// Figures are the numbers that it reports.
	Figures Figures `json:"figures,omitempty"`
}

// A Figure is a number that a component reports.
type Figure struct {
	Name  string
	Value float64
}

// Figures are figures in the order that a component gives them. In JSON they are an object.
type Figures []Figure

// MarshalJSON writes the figures as an object; one that is no number is left out.
func (f Figures) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, x := range f {
		value, err := json.Marshal(x.Value)
		if err != nil { // infinite, or not a number
			continue
		}
		name, err := display.EncodeJSON(x.Name, "")
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, bytes.TrimSpace(name)...), ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads them back, in the order of their names.
func (f *Figures) UnmarshalJSON(text []byte) error {
	var values map[string]float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	*f = nil
	for _, name := range slices.Sorted(maps.Keys(values)) {
		*f = append(*f, Figure{name, values[name]})
	}
	return nil
}

// A HealthSource reports the state of components, for statshttp.Options.Health. The providers that package
// exporters sets up are one. Components is called by readers, at any time, by several at once;
// it must return soon.
type HealthSource interface {
	Components() []Component
}

// Components report the state of the recorder: what is beyond its bounds, and whether it can
// write what it is to keep. It is a [HealthSource].
func (r *Recorder) Components() []Component {
	l := r.Limits()
	c := Component{Name: "statistics", Figures: Figures{
		{"bytes", float64(l.Bytes)}, {"max_bytes", float64(l.MaxBytes)},
		{"tools", float64(l.Tools)}, {"max_tools", float64(l.MaxTools)},
		{"tools_without_place", float64(r.tools.homeless.Load())}, {"evicted_error_groups", float64(l.EvictedGroups)},
		{"evicted_sessions", float64(l.EvictedSessions)}, {"dropped_recent", float64(l.DroppedRecent)},
	}}
	if r.tools.homeless.Load() > 0 {
		c.Problems = append(c.Problems, fmt.Sprintf(
			"there are more tools than the %d of Options.MaxTools: calls of the others are counted under %s",
			l.MaxTools, Other))
	}
	if err := r.journal.Failure(); err != nil {
		c.Problems = append(c.Problems, err.Error())
	}
	return []Component{c}
}
