// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// compilePath compiles $name.member.0.member.
func compilePath(text string, scope Scope, at string) (*Value, error) {
	segments := strings.Split(text[1:], ".")
	if slices.Contains(segments, "") {
		return nil, &Error{at, fmt.Sprintf("%.60q", text), "a path such as $input.url, or $$ for a dollar sign"}
	}
	if err := scope.check(segments, at); err != nil {
		return nil, err
	}
	return &Value{names: segments[:1], bare: true, dynamic: func(env map[string]any) (any, error) {
		var value any = env
		for i, segment := range segments {
			var err error
			if value, err = member(value, segment); err != nil {
				return nil, fmt.Errorf("$%s: %w", strings.Join(segments[:i+1], "."), err)
			}
		}
		return value, nil
	}}, nil
}

// check reports a name that does not exist; segments begin with the name.
func (s Scope) check(segments []string, at string) error {
	name := segments[0]
	if !slices.Contains(s.Names, name) {
		got := fmt.Sprintf("the unknown name %.60q", name)
		if s.Unknown != nil {
			if more := s.Unknown(name); more != "" {
				got = more
			}
		}
		return &Error{at, got, "one of " + strings.Join(s.Names, ", ")}
	}
	if name == "var" && len(segments) > 1 && !slices.Contains(s.Variables, segments[1]) {
		want := "a variable that a step sets, other than in a branch or in each"
		if len(s.Variables) > 0 {
			want = "one of " + strings.Join(s.Variables, ", ")
		}
		return &Error{at, fmt.Sprintf("the unknown variable %.60q", segments[1]), want}
	}
	if len(segments) > 1 && s.Members != nil {
		if known := s.Members(name); known != nil && !slices.Contains(known, segments[1]) {
			return &Error{at, fmt.Sprintf("the unknown member %.60q of the step %s", segments[1], name),
				"one of " + strings.Join(known, ", ")}
		}
	}
	return nil
}

// member returns a member of a map or an element of a list. A missing one is an error.
func member(value any, name any) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		key, ok := name.(string)
		if m, found := value[key]; ok && found {
			return m, nil
		}
		return nil, fmt.Errorf("there is no member %.60q", fmt.Sprint(name))
	case []any:
		i, err := strconv.Atoi(fmt.Sprint(name))
		if err == nil && i < 0 {
			i += len(value)
		}
		if err != nil || i < 0 || i >= len(value) {
			return nil, fmt.Errorf("there is no element %.60q in a list of %d", fmt.Sprint(name), len(value))
		}
		return value[i], nil
	}
	return nil, fmt.Errorf("got %s, want a mapping or a list with %.60q", TypeName(value), fmt.Sprint(name))
}

// TypeName is what a value of JSON is called.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return "a number"
}
