// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// The bounds of an answer.
const (
	maxProblems     = 10
	maxProblemBytes = 300
)

var english = message.NewPrinter(language.English)

// other is an error of the library that is no finding of its own.
type other struct{ err error }

func (other) KeywordPath() []string                       { return nil }
func (o other) LocalizedString(_ *message.Printer) string { return o.err.Error() }

// problems are the findings that have no cause below them, in the order of their
// places: the library finds them in a map's.
func problems(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	all := leaves(e, nil)
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	return all
}

func leaves(e *jsonschema.ValidationError, all []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(all, e)
	}
	for _, cause := range e.Causes {
		all = leaves(cause, all)
	}
	return all
}

// pointer is a place as a JSON Pointer (RFC 6901); "" is the whole.
func pointer(at []string) string {
	var b strings.Builder
	for _, name := range at {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// pointers are the places of the first problems, "/" for the whole.
func pointers(e *jsonschema.ValidationError) string {
	var at []string
	for _, p := range problems(e) {
		place := pointer(p.InstanceLocation)
		if place == "" {
			place = "/"
		}
		if !slices.Contains(at, place) && len(at) < maxProblems {
			at = append(at, place)
		}
	}
	return strings.Join(at, " ")
}

// explain says what is wrong, where, and what is allowed.
func explain(schema *jsonschema.Schema, e *jsonschema.ValidationError) string {
	all := problems(e)
	var b strings.Builder
	fmt.Fprintf(&b, "the arguments do not fit the tool's schema (%d wrong):", len(all))
	for i, p := range all {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n- and %d more", len(all)-i)
			break
		}
		b.WriteString("\n- ")
		b.WriteString(clip(problem(p)))
	}
	if names := allowed(schema); names != "" {
		b.WriteString("\nThe tool takes: ")
		b.WriteString(clip(names))
	}
	return b.String()
}

func problem(p *jsonschema.ValidationError) string {
	at := pointer(p.InstanceLocation)
	switch k := p.ErrorKind.(type) {
	case *kind.Required:
		return list(at, k.Missing) + " must be given"
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		return list(at, k.Properties) + " is not among what the tool takes"
	}
	text := p.ErrorKind.LocalizedString(english)
	if at == "" {
		return text
	}
	return at + ": " + text
}

func list(at string, names []string) string {
	places := make([]string, len(names))
	for i, name := range names {
		places[i] = at + pointer([]string{name})
	}
	return strings.Join(places, ", ")
}

// allowed are the arguments of the tool by name and type, those that must be given
// first.
func allowed(s *jsonschema.Schema) string {
	for hops := 0; s.Ref != nil && len(s.Properties) == 0 && hops < 8; hops++ {
		s = s.Ref
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return boolInt(slices.Contains(s.Required, b)) - boolInt(slices.Contains(s.Required, a))
	})
	for i, name := range names {
		if t := s.Properties[name].Types; t != nil && !t.IsEmpty() {
			names[i] += " (" + strings.Trim(t.String(), "[]")
		} else {
			names[i] += " (any"
		}
		if slices.Contains(s.Required, name) {
			names[i] += ", required"
		}
		names[i] += ")"
	}
	return strings.Join(names, ", ")
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func clip(s string) string {
	if len(s) <= maxProblemBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxProblemBytes], "") + "…"
}
