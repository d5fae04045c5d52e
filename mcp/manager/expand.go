// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// expand replaces the variables in the strings of a server. Those of a disabled one may be
// missing.
func (p *parser) expand(r *raw, disabled bool) error {
	do := func(field string, s *string) error {
		out, err := p.variables(*s)
		if err != nil {
			if disabled {
				return nil
			}
			return fmt.Errorf("%s: %w", field, err)
		}
		*s = out
		return nil
	}
	for _, f := range []struct {
		name  string
		value *string
	}{{"command", &r.command}, {"cwd", &r.cwd}, {"url", &r.url}} {
		if err := do(f.name, f.value); err != nil {
			return err
		}
	}
	for i := range r.args {
		if err := do(fmt.Sprintf("args[%d]", i), &r.args[i]); err != nil {
			return err
		}
	}
	if r.sandbox != nil {
		for i := range r.sandbox.Paths {
			if err := do(fmt.Sprintf("sandbox.allowedPaths[%d]", i), &r.sandbox.Paths[i]); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		name   string
		values map[string]string
	}{{"env", r.env}, {"headers", r.headers}} {
		for _, key := range slices.Sorted(maps.Keys(f.values)) {
			v := f.values[key]
			if err := do(f.name+"."+clip(key), &v); err != nil {
				return err
			}
			f.values[key] = v
		}
	}
	return nil
}

// variables replaces ${VAR} and ${VAR:-text}. What a variable holds is not looked into.
func (p *parser) variables(s string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New(`got "${" without "}", want ${VAR} or ${VAR:-text}`)
		}
		name, preset, hasPreset := strings.Cut(inner, ":-")
		if !isVariable(name) {
			return "", fmt.Errorf("got the variable %.80q, want a name of letters, digits and _", name)
		}
		value, ok := p.lookup(name)
		switch {
		case hasPreset && value == "":
			value = preset
		case !ok:
			return "", fmt.Errorf("got ${%s}, which is not set, want a variable that is, or ${%s:-text}", clip(name), clip(name))
		}
		b.WriteString(value)
		s = after
	}
}

func isVariable(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// clip shortens a name for an error.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= 80 {
		return s
	}
	return strings.ToValidUTF8(s[:80], "") + "…"
}
