// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"reflect"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/redact"
)

// A Section is a policy's part of a file. The policy is on if the file has its section, unless that says
// enabled: false.
type Section[O any] struct {
	Enabled *bool `yaml:"enabled" doc:"false turns the section off; default true."`
	Options O     `yaml:",inline"`
}

// On reports whether the section turns the policy on.
func (s *Section[O]) On() bool { return s.Enabled == nil || *s.Enabled }

// A Builder is what policies are built with besides their sections.
type Builder struct {
	Approver bool                              // whether the file has an Approve policy
	Redactor *redact.Redactor                  // the file's
	Decided  func(approve.Decision)            // the file's audit log
	Stores   Stores                            // of the file's sections
	InUse    middleware.Policy                 // built of the section before; nil for none
	Path     func(name string) string          // of a file that the section names
	ReadFile func(path string) ([]byte, error) // nil if no file is to be read; then Build may return nil

	// Content is what the policy depends on besides its section, set by Build: if it changes, the policy is
	// built again when a file is reloaded.
	Content []byte
}

// plain describes a policy whose constructor takes its options alone.
func plain[O any, P middleware.Policy](
	name string, stage middleware.Stage, doc string, build func(O) (P, error), tags Tags,
) Descriptor {
	return describe(name, stage, doc, func(o O, _ *Builder) (P, error) { return build(o) }, tags)
}

// describe describes a policy. One with a method Inherit takes over from the policy in use.
func describe[O any, P middleware.Policy](
	name string, stage middleware.Stage, doc string, build func(O, *Builder) (P, error), tags Tags,
) Descriptor {
	d := Descriptor{Name: name, Stage: stage, Doc: doc, Section: reflect.TypeFor[Section[O]](), Tags: tags}
	if t := reflect.TypeFor[P](); t.Kind() == reflect.Pointer {
		d.Policy = t
	}
	d.Build = func(section any, b *Builder) (middleware.Policy, error) {
		p, err := build(section.(*Section[O]).Options, b)
		if err != nil || reflect.ValueOf(p).IsZero() {
			return nil, err
		}
		if heir, ok := any(p).(interface{ Inherit(P) }); ok {
			if old, ok := b.InUse.(P); ok {
				heir.Inherit(old)
			}
		}
		return p, nil
	}
	return d
}

// needing is the descriptor of a policy that has no effect without this.
func (d Descriptor) needing(yaml string) Descriptor {
	d.Needs = yaml
	return d
}
