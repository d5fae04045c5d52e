// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"reflect"
	"time"

	"github.com/toolscope/toolscope/internal/strictyaml"
)

// Expectations are what a session is to be like. What is missing is not checked.
type Expectations struct {
	// Calls bounds the number of all calls.
	Calls *Bounds `yaml:"calls"`
	// Tools are expectations of the calls of single tools.
	Tools map[string]*Tool `yaml:"tools" keys:"any"`
	// Only are the tools that may be called.
	Only []string `yaml:"only"`
	// Never are tools that may not be called.
	Never []string `yaml:"never"`
	// Order are tools whose first calls come in this order.
	Order []string `yaml:"order"`
	// ErrorRate is the largest part of the calls that may fail, from 0 to 1.
	ErrorRate *float64 `yaml:"error_rate"`
	// P95 bounds the 95th percentile of the running times of executed calls, without waits for a person or a slot.
	P95 time.Duration `yaml:"p95"`
	// Finished wants an end of each call.
	Finished bool `yaml:"finished"`
	// Secrets is "redacted" if the file may have none in clear, and "none" if nothing was redacted either.
	Secrets string `yaml:"secrets" allowed:"redacted,none"`
	// Definitions is "unchanged" if the tools' definitions are the same in all of the file, and as in the baseline.
	Definitions string `yaml:"definitions" allowed:"unchanged"`
	// Baseline says what may differ from the baseline. It needs one.
	Baseline *Baseline `yaml:"baseline"`
	// Steps counts calls that a recorded call made, such as the steps of a workflow. Without it they count for Never,
	// Finished and Secrets only.
	Steps bool `yaml:"steps"`

	document *strictyaml.Document
}

// Bounds are those of a number of calls.
type Bounds struct {
	Min *int `yaml:"min"`
	Max *int `yaml:"max"`
}

// Tool is what is expected of the calls of a tool.
type Tool struct {
	Bounds    `yaml:",inline"`
	ErrorRate *float64      `yaml:"error_rate"`
	P95       time.Duration `yaml:"p95"`
}

// Baseline says what is compared with a baseline. Results are compared only if that is asked for: many differ each time.
type Baseline struct {
	Calls    string `yaml:"calls" allowed:"same,any"`
	Outcomes string `yaml:"outcomes" allowed:"same,any"`
	Results  string `yaml:"results" allowed:"same,any"`
	Order    string `yaml:"order" allowed:"same,any"`
}

// Read reads a file. The error names line and field of everything that is wrong.
func Read(path string) (*Expectations, error) {
	text, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads the text of a file, whose name stands in errors.
func Parse(name string, text []byte) (*Expectations, error) {
	e := new(Expectations)
	reader := strictyaml.Reader{
		Types: map[reflect.Type]strictyaml.Scalar{reflect.TypeFor[time.Duration](): {
			Want: "a time with its unit, such as 250ms or 2s", Parse: func(text string) (any, bool) {
				d, err := time.ParseDuration(text)
				return d, err == nil && d > 0
			},
		}},
		Empty: "expectations, such as error_rate: 0", Names: true, KeepEmpty: true,
	}
	e.document = reader.Read(name, text, e)
	e.check()
	if err := e.document.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// check checks what types do not.
func (e *Expectations) check() {
	rate := func(field string, r *float64) {
		if r != nil && (*r < 0 || *r > 1) {
			e.document.Fail(field, fmt.Sprint(*r), "a part from 0 to 1")
		}
	}
	bounds := func(field string, b Bounds) {
		switch {
		case b.Min != nil && *b.Min < 0:
			e.document.Fail(field+".min", fmt.Sprint(*b.Min), "0 or more")
		case b.Max != nil && *b.Max < 0:
			e.document.Fail(field+".max", fmt.Sprint(*b.Max), "0 or more")
		case b.Min != nil && b.Max != nil && *b.Min > *b.Max:
			e.document.Fail(field+".max", fmt.Sprintf("%d, less than min", *b.Max), fmt.Sprintf("%d or more", *b.Min))
		}
	}
	if e.Calls != nil {
		bounds("calls", *e.Calls)
	}
	rate("error_rate", e.ErrorRate)
	if b := e.Baseline; b != nil && b.Calls == "any" && b.Outcomes == "any" && b.Results != "same" && b.Order != "same" {
		e.document.Fail("baseline", "any for all of it, which compares nothing", "same for one of calls, outcomes, results and order")
	}
	for name, t := range e.Tools {
		bounds("tools."+name, t.Bounds)
		rate("tools."+name+".error_rate", t.ErrorRate)
	}
}
