// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/toolkit"
)

// Load reads and compiles a file of rules. Errors are those of [Parse].
func Load(name string) (*Rules, error) {
	text, err := strictyaml.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("permit: %w", err)
	}
	return Parse(name, text)
}

// rulesFile is what files of rules look like.
type rulesFile struct {
	Version string `yaml:"version" allowed:"1"`
	Enforce *bool  `yaml:"enforce"`
	Builtin *bool  `yaml:"builtin"`
	Spec
}

var rulesReader = strictyaml.Reader{
	Empty:       "rules, or {} for the built-in rules alone",
	SingleTexts: true,
	KeepEmpty:   true, // no tools are not any tool
	Types: map[reflect.Type]strictyaml.Scalar{
		reflect.TypeFor[Effect](): {Want: "allow, ask or deny", Parse: func(text string) (any, bool) {
			for e := Allow; e <= Deny; e++ {
				if text == e.String() {
					return e, true
				}
			}
			return nil, false
		}},
		reflect.TypeFor[toolkit.Hint](): {Want: "true or false", Tag: "!!bool", Parse: func(text string) (any, bool) {
			return toolkit.HintOf(strings.EqualFold(text, "true")), strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
		}},
		reflect.TypeFor[time.Time](): {
			Want: "a date (2030-12-31) or a time (2030-12-31T18:00:00Z)",
			Parse: func(text string) (any, bool) {
				t, err := time.Parse(time.RFC3339, text)
				if err != nil {
					t, err = time.Parse(time.DateOnly, text)
				}
				return t, err == nil
			},
		},
	},
}

// Parse compiles rules in YAML; name is for errors. The error names file, line and field of everything
// that is wrong (at most 20). Anchors, aliases, tags and unknown fields are refused.
func Parse(name string, text []byte) (*Rules, error) {
	var f rulesFile
	d := rulesReader.Read(name, text, &f)
	if err := d.Err(); err != nil {
		return nil, err
	}
	f.Shadow = f.Enforce != nil && !*f.Enforce
	f.NoBuiltin = f.Builtin != nil && !*f.Builtin
	rules, err := Compile(f.Spec)
	if e := (*specError)(nil); errors.As(err, &e) {
		field := e.Field
		if e.Rule >= 0 {
			field = fmt.Sprintf("rules[%d].%s", e.Rule, e.Field)
		}
		d.Fail(field, e.Text, "")
		return nil, d.Err()
	}
	return rules, err
}
