// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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
		Kinds  []string      `yaml:"kinds"`
	} `yaml:"rules"`
	Patterns []struct {
		Literal  string   `yaml:"literal"`
		Regexp   string   `yaml:"regexp"`
		Keywords []string `yaml:"keywords"`
	} `yaml:"patterns"`
	Names struct {
		On  []string `yaml:"on"`
		Off []string `yaml:"off"`
	} `yaml:"names"`
	Allow []string `yaml:"allow"`
	Known struct {
		Environment []string `yaml:"environment"`
		File        string   `yaml:"file"`
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
	for i, p := range f.Patterns {
		field := fmt.Sprintf("patterns[%d]", i)
		pattern := redact.Pattern{Literal: p.Literal, Keywords: p.Keywords}
		if p.Regexp != "" {
			re, err := regexp.Compile("^(?:" + p.Regexp + ")")
			if err != nil {
				r.Fail(field+".regexp", fmt.Sprintf("%.40q", p.Regexp), "a regular expression (RE2): "+err.Error())
				continue
			}
			pattern.Regexp = re
		}
		r.set(field, func(o *redact.Options) { o.Patterns = append(o.Patterns, pattern) })
	}
	r.setList("names.on", f.Names.On, func(o *redact.Options) *[]string { return &o.Names })
	r.setList("names.off", f.Names.Off, func(o *redact.Options) *[]string { return &o.WithoutNames })
	r.setKnownFile(name, f.Known.File)
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

// maxKnownFile is the largest file of known values, in bytes.
const maxKnownFile = 1 << 20

// setKnownFile reads known values, one a line, from a file named relative to the file name. Lines
// under 6 bytes are ignored. Values do not occur in errors.
func (r *reader) setKnownFile(name, file string) {
	const field = "known.file"
	if !r.Has(field) {
		return
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(name), file)
	}
	f, err := os.Open(file)
	if err != nil {
		r.Fail(field, err.Error(), "a file with a value on each line")
		return
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKnownFile+1))
	if err != nil || len(data) > maxKnownFile {
		r.Fail(field, "a file that cannot be read, or of more than 1 MiB", "a file with a value on each line")
		return
	}
	for line := range strings.Lines(string(data)) {
		if value := strings.TrimRight(line, "\r\n"); len(value) >= minKnown {
			r.options.Known = append(r.options.Known, value)
		}
	}
}

// minKnown is the shortest known value, in bytes.
const minKnown = 6

// setMode sets what stands for removed values.
func (r *reader) setMode(mode, variable string) {
	const field = "key_environment"
	value := os.Getenv(variable)
	switch {
	case mode == "tag" && !r.Has(field):
		r.Fail("mode", `"tag" and no key_environment`, "the name of the variable that holds its key")
	case mode == "tag" && value == "":
		r.Fail(field, fmt.Sprintf("%.60q, which the environment does not have", variable),
			"the name of a variable that holds the key")
	case mode == "tag":
		r.set(field, func(o *redact.Options) { o.HMACKey = []byte(value) })
	case r.Has(field):
		r.Fail(field, fmt.Sprintf("a key that mode %q does not use", mode), "mode tag")
	case mode == "stand-in":
		r.options.StandIns = true
	}
}
