// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/workflow"
)

// A document is what a file says. What a section of a policy leaves out has the default of the policy's Options.
type document struct {
	Enabled *bool           `yaml:"enabled" doc:"false passes all calls on as without toolscope; default true. Applied on reload."`
	Content *bool           `yaml:"content" doc:"Redacted arguments and results on spans; default true. Applied on reload."`
	Redact  redaction       `yaml:"redact" doc:"What redacts all exported data."`
	Tools   map[string]tool `yaml:"tools" doc:"Single tools by name. Applied on reload."`
	Audit   *auditLog       `yaml:"audit" doc:"Appends decisions to a file."`

	Workflows map[string]workflow.Definition `yaml:"workflows" doc:"Workflows by the names of their tools: see docs/workflow.md."`

	policies reflect.Value // a pointer to a policySections
	sections []sectionText // the registered sections that the file has
	yaml     *strictyaml.Document
}

// redaction says how content is redacted.
type redaction struct {
	File string `yaml:"file" doc:"The redactor's configuration file, relative to this file; default: none."`
}

// tool is a single tool.
type tool struct {
	Enabled *bool `yaml:"enabled" doc:"false refuses the tool's calls; default true."`
}

// auditLog is the audit log.
type auditLog struct {
	Enabled *bool         `yaml:"enabled" doc:"false turns the section off; default true."`
	File    string        `yaml:"file" doc:"Where lines are appended, relative to this file."`
	KeyFile string        `yaml:"key_file" doc:"The file with the key of the chain of entries; default: no key."`
	Options audit.Options `yaml:",inline"`
}

func (a *auditLog) on() bool { return a != nil && !turnedOff(a.Enabled) }

// policySections is the type of the section policies: a pointer to the [policies.Section] of each policy, in the
// order of the table.
var policySections = func() reflect.Type {
	fields := make([]reflect.StructField, len(policies.All))
	for i, p := range policies.All {
		tag := fmt.Sprintf("yaml:%q doc:%q", p.Name, p.Doc)
		name := strings.ToUpper(p.Name[:1]) + p.Name[1:]
		fields[i] = reflect.StructField{Name: name, Type: reflect.PointerTo(p.Section), Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}()

const policiesDoc = "Policies that govern calls. Applied on reload: a policy whose section is unchanged keeps its state."

// reader reads documents. Its sections are those of one document.
func reader() strictyaml.Reader {
	return strictyaml.Reader{
		Types: map[reflect.Type]strictyaml.Scalar{
			durationType: {Want: "a time with its unit, such as 30s or 5m", Parse: func(text string) (any, bool) {
				d, err := time.ParseDuration(text)
				return d, err == nil
			}},
			timeType: {Want: "a time such as 2026-12-31T00:00:00Z", Parse: func(text string) (any, bool) {
				at, err := time.Parse(time.RFC3339, text)
				return at, err == nil
			}},
		},
		Units: map[string]strictyaml.Scalar{
			"bytes": {Want: "a number of bytes, such as 4096, 64KiB or 16MiB", Parse: parseBytes},
		},
		Names: true,
	}
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
)

var byteUnits = []struct {
	name  string
	bytes int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}

// parseBytes reads a number of bytes, written as such or with a unit.
func parseBytes(s string) (any, bool) {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || n > math.MaxInt/u.bytes || n < math.MinInt/u.bytes {
			return 0, false
		}
		return n * u.bytes, true
	}
	return 0, false
}

// parse reads a file's text.
func parse(name string, text []byte, registered sections) (*document, error) {
	d := &document{policies: reflect.New(policySections)}
	r := reader()
	known := slices.Concat(topLevel, registered.names())
	// An empty file is never meant: most likely another program is writing it.
	r.Empty = "at least one of " + strings.Join(topLevel, ", ") + ", or {} to set nothing"
	r.Sections = map[string]any{"policies": d.policies.Interface()}
	values := make([]reflect.Value, len(registered))
	for i, s := range registered {
		values[i] = reflect.New(s.settings)
		r.Sections[s.name] = values[i].Interface()
	}
	r.UnknownSection = func(name string) (got, want string) { return describeUnknown(name, known) }
	d.yaml = r.Read(name, text, d)
	if d.Audit.on() && d.Audit.File == "" {
		d.yaml.Fail("audit.file", "nothing", "a file's path")
	}
	if err := d.yaml.Err(); err != nil {
		return nil, err
	}
	if err := d.failWorkflows(workflow.Check(d.Workflows)); err != nil {
		return nil, err
	}
	for i, s := range registered {
		if d.yaml.Has(s.name) {
			d.sections = append(d.sections, sectionText{s, values[i].Elem().Interface()})
		}
	}
	return d, nil
}

// topLevel are the names of the sections that every program knows.
var topLevel = func() (names []string) {
	for _, f := range strictyaml.Fields(reflect.TypeFor[document]()) {
		names = append(names, f.Tag.Get("yaml"))
	}
	return append(names, "policies")
}()

// toolsOff returns the names of the tools that are turned off, sorted.
func (d *document) toolsOff() (names []string) {
	for name, t := range d.Tools {
		if turnedOff(t.Enabled) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// turnedOff reports whether a switch is false; one that is left out is on.
func turnedOff(enabled *bool) bool { return enabled != nil && !*enabled }

// fail is an error of a field.
func (d *document) fail(field string, err error) error {
	d.yaml.Fail(field, err.Error(), "")
	return d.yaml.Err()
}

// failWorkflows is the error of definitions, with lines.
func (d *document) failWorkflows(err error) error {
	if err == nil {
		return nil
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		e := (*workflow.Error)(nil)
		if !errors.As(err, &e) {
			return err
		}
		d.yaml.Fail("workflows."+e.Field, e.Got, e.Want)
	}
	return d.yaml.Err()
}
