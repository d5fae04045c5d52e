// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/redact"
)

// file is what files look like.
type file struct {
	Preset redact.Preset `yaml:"preset"`
	Kinds  struct {
		On  []string `yaml:"on"`
		Off []string `yaml:"off"`
	} `yaml:"kinds"`
	Rules []struct {
		Tool   string        `yaml:"tool"`
		Path   string        `yaml:"path"`
		Action redact.Action `yaml:"action"`
	} `yaml:"rules"`
	Allow []string `yaml:"allow"`
	Known struct {
		Environment []string `yaml:"environment"`
	} `yaml:"known"`
	Mode   string `yaml:"mode" allowed:"mask,tag,stand-in"`
	Key    string `yaml:"key_environment"`
	Limits struct {
		Nesting int `yaml:"nesting"`
		Inner   int `yaml:"inner"`
		Work    int `yaml:"work"`
	} `yaml:"limits"`
}

var (
	actions = strictyaml.Enum(map[string]redact.Action{"mask": redact.Mask, "keep": redact.Keep, "drop": redact.Drop})
	presets = strictyaml.Enum(map[string]redact.Preset{
		"default": redact.Defaults, "strict": redact.Strict, "secrets-only": redact.SecretsOnly, "off": redact.Off,
	})
	format = strictyaml.Reader{Types: map[reflect.Type]strictyaml.Scalar{
		reflect.TypeFor[redact.Action](): actions,
		reflect.TypeFor[redact.Preset](): presets,
	}}
)

// Load reads a file and makes the redactor it describes. The error names file, line and
// field of everything that is wrong (at most 20).
func Load(path string) (*redact.Redactor, error) {
	data, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("redactfile: %w", err)
	}
	options, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	return redact.New(options)
}

// Parse reads the text of a file as options for [redact.New]. name stands in errors.
// [redact.New] reads the variables of known.environment; Parse reads the key of tags.
func Parse(name string, data []byte) (redact.Options, error) {
	var f file
	r := &reader{Document: format.Read(name, data, &f)}
	r.options.Preset = f.Preset
	r.setList("kinds.on", f.Kinds.On, func(o *redact.Options) *[]string { return &o.Kinds })
	r.setList("kinds.off", f.Kinds.Off, func(o *redact.Options) *[]string { return &o.WithoutKinds })
	for i, rule := range f.Rules {
		field := fmt.Sprintf("rules[%d]", i)
		if !r.Has(field + ".action") {
			r.Fail(field, "no action", actions.Want)
			continue
		}
		r.set(field, func(o *redact.Options) { o.Rules = append(o.Rules, redact.Rule(rule)) })
	}
	r.setList("allow", f.Allow, func(o *redact.Options) *[]string { return &o.Allow })
	r.setList("known.environment", f.Known.Environment, func(o *redact.Options) *[]string { return &o.KnownEnv })
	r.set("limits", func(o *redact.Options) { o.Limits = redact.Limits(f.Limits) })
	r.setMode(f.Mode, f.Key)
	if err := r.Err(); err != nil {
		return redact.Options{}, err
	}
	return r.options, nil
}

// A reader turns what was read into options.
type reader struct {
	*strictyaml.Document
	options redact.Options
}

// set changes the options. It checks the change on its own first, so that an error has the line of its field.
func (r *reader) set(field string, change func(*redact.Options)) {
	var alone redact.Options
	change(&alone)
	if _, err := redact.New(alone); err != nil {
		text := strings.TrimPrefix(err.Error(), "redact: ")
		if name, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(name, "Options.") {
			text = rest
			if _, inner, ok := strings.Cut(strings.TrimPrefix(name, "Options."), "."); ok {
				text = inner + ": " + rest
			}
		}
		r.Fail(field, text, "")
		return
	}
	change(&r.options)
}

func (r *reader) setList(field string, values []string, list func(*redact.Options) *[]string) {
	for i, value := range values {
		r.set(fmt.Sprintf("%s[%d]", field, i), func(o *redact.Options) { *list(o) = append(*list(o), value) })
	}
}

// setMode sets what stands for removed values.
func (r *reader) setMode(mode, variable string) {
	const field = "key_environment"
	value := os.Getenv(variable)
	switch {
	case mode == "tag" && !r.Has(field):
		r.Fail("mode", `"tag" and no key_environment`, "the name of the variable that holds its key")
	case mode == "tag" && value == "":
		r.Fail(field, fmt.Sprintf("%.60q, which the environment does not have", variable), "the name of a variable that holds the key")
	case mode == "tag":
		r.set(field, func(o *redact.Options) { o.HMACKey = []byte(value) })
	case r.Has(field):
		r.Fail(field, fmt.Sprintf("a key that mode %q does not use", mode), "mode tag")
	case mode == "stand-in":
		r.options.StandIns = true
	}
}
