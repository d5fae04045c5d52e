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
func (p *parser) expand(s *Server) error {
	do := func(field string, text *string) error {
		out, err := p.variables(*text)
		if err != nil {
			if s.Disabled {
				return nil
			}
			return fmt.Errorf("%s: %w", field, err)
		}
		*text = out
		return nil
	}
	for _, f := range []struct {
		name  string
		value *string
	}{{"command", &s.Command}, {"cwd", &s.Dir}, {"url", &s.URL}} {
		if err := do(f.name, f.value); err != nil {
			return err
		}
	}
	for i := range s.Args {
		if err := do(fmt.Sprintf("args[%d]", i), &s.Args[i]); err != nil {
			return err
		}
	}
	if s.Sandbox != nil {
		for i := range s.Sandbox.Paths {
			if err := do(fmt.Sprintf("sandbox.allowedPaths[%d]", i), &s.Sandbox.Paths[i]); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		name   string
		values map[string]string
	}{{"env", s.Env}, {"headers", s.Headers}} {
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
