// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"reflect"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
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

// Stores keep the state of policies that processes share. What is nil stays in the process.
type Stores struct {
	Cache     cache.Store      // answers of the Cache policy
	Rates     limit.Rates      // rate limits of the Limit policy
	Ledger    budget.Ledger    // accounts of the Budget policy
	Peers     breaker.Peers    // openings of circuits of the Breaker policy
	Requests  approve.Requests // requests and approvals of the Approve policy
	Histories loop.Histories   // histories of the Loop policy
	Flights   dedupe.Flights   // runs and answers of the Dedupe policy
}

// A Descriptor describes a policy.
type Descriptor struct {
	Name    string           // of its section in a file, and of its stage if it is alone there
	Stage   middleware.Stage // where it applies
	Doc     string           // one line, for files' editors and docs/configuration.md
	Section reflect.Type     // a [Section] of the policy's options: what a file can set
	Policy  reflect.Type     // of what Build returns; nil if its package does not export the type
	Tags    Tags             // what it records on calls, for docs/telemetry.md
	Needs   string           // YAML of the least that it needs to have an effect; "" if it works with its defaults
	// Build makes the policy of a *Section.
	Build func(section any, b *Builder) (middleware.Policy, error)
}

// Tags describe the tags of calls by their keys. On spans each has the prefix "toolscope.".
type Tags map[string]string
