// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/redact"
)

var presets = map[string]redact.Preset{
	"default": redact.Defaults, "strict": redact.Strict, "secrets-only": redact.SecretsOnly, "off": redact.Off,
}

var actions = map[string]redact.Action{"mask": redact.Mask, "keep": redact.Keep, "drop": redact.Drop}

var modes = map[string]bool{"mask": true, "tag": true, "stand-in": true}

// names lists the keys of a map for an error.
func names[V any](of map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

// oneOf is the value that a text names. ok is false, and told, if it names none.
func oneOf[V any](r *reader, n *yaml.Node, field string, of map[string]V) (v V, ok bool) {
	text, ok := r.text(n, field)
	if !ok {
		return v, false
	}
	if v, ok = of[text]; !ok {
		r.fail(n, field, "got %.40q, want one of %s", text, names(of))
	}
	return v, ok
}

// top reads the file's mapping.
func (r *reader) top(n *yaml.Node) {
	var mode string
	var modeNode, keyNode *yaml.Node
	r.members(n, "", map[string]func(*yaml.Node, string){
		"preset": func(v *yaml.Node, field string) {
			r.options.Preset, _ = oneOf(r, v, field, presets)
		},
		"kinds": func(v *yaml.Node, field string) {
			r.members(v, field, map[string]func(*yaml.Node, string){
				"on":  r.texts(func(o *redact.Options) *[]string { return &o.Kinds }),
				"off": r.texts(func(o *redact.Options) *[]string { return &o.WithoutKinds }),
			})
		},
		"rules": func(v *yaml.Node, field string) { r.items(v, field, r.rule) },
		"allow": r.texts(func(o *redact.Options) *[]string { return &o.Allow }),
		"known": func(v *yaml.Node, field string) {
			r.members(v, field, map[string]func(*yaml.Node, string){
				"environment": r.texts(func(o *redact.Options) *[]string { return &o.KnownEnv }),
			})
		},
		"mode": func(v *yaml.Node, field string) {
			if _, ok := oneOf(r, v, field, modes); ok {
				mode, modeNode = v.Value, v
			}
		},
		"key_environment": func(v *yaml.Node, _ string) { keyNode = v },
		"limits":          r.limits,
	})
	r.mode(mode, modeNode, keyNode)
}

// rule reads one rule.
func (r *reader) rule(n *yaml.Node, field string) {
	var rule redact.Rule
	action := false
	r.members(n, field, map[string]func(*yaml.Node, string){
		"tool": func(v *yaml.Node, field string) { rule.Tool, _ = r.text(v, field) },
		"path": func(v *yaml.Node, field string) { rule.Path, _ = r.text(v, field) },
		"action": func(v *yaml.Node, field string) {
			action = true
			rule.Action, _ = oneOf(r, v, field, actions)
		},
	})
	if !action && n.Kind == yaml.MappingNode {
		r.fail(n, field, "got no action, want one of %s", names(actions))
		return
	}
	r.set(n, field, func(o *redact.Options) { o.Rules = append(o.Rules, rule) })
}

func (r *reader) limits(n *yaml.Node, field string) {
	var l redact.Limits
	r.members(n, field, map[string]func(*yaml.Node, string){"nesting": r.number(&l.Nesting),
		"inner": r.number(&l.Inner), "work": r.number(&l.Work)})
	r.set(n, field, func(o *redact.Options) { o.Limits = l })
}

// mode sets what stands for removed values.
func (r *reader) mode(mode string, modeNode, keyNode *yaml.Node) {
	switch {
	case mode == "tag" && keyNode == nil:
		r.fail(modeNode, "mode", `got "tag" and no key_environment, want the name of the variable that holds its key`)
	case mode == "tag":
		if key := r.key(keyNode, "key_environment"); len(key) > 0 {
			r.set(keyNode, "key_environment", func(o *redact.Options) { o.HMACKey = key })
		}
	case keyNode != nil:
		r.fail(keyNode, "key_environment", "got a key that mode %q does not use, want mode tag", mode)
	case mode == "stand-in":
		r.options.StandIns = true
	}
}
