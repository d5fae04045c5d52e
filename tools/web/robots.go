// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strings"
)

// maxRobots is how much of a robots.txt is read, as RFC 9309 section 2.5 asks at least.
const maxRobots = 500 << 10

// rules are the lines of a robots.txt that are meant for one crawler.
type rules []rule

type rule struct {
	pattern string
	allow   bool
}

// parseRobots reads the rules of a robots.txt for a product name in lower case: those of all
// groups that name it, else those of all groups for "*" (RFC 9309 section 2.2.1). Lines that
// it does not know are passed over.
func parseRobots(text, agent string) rules {
	var own, others rules
	var named bool                 // a group names the agent
	var forOwn, forOthers, in bool // whom the group is for; in: past its user-agent lines
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if in {
				forOwn, forOthers, in = false, false, false
			}
			switch product(value) {
			case agent:
				forOwn, named = true, true
			case "":
				forOthers = forOthers || value == "*"
			}
		case "allow", "disallow":
			in = true
			if value == "" {
				continue // allows or forbids nothing
			}
			r := rule{value, key == "allow"}
			if forOwn {
				own = append(own, r)
			}
			if forOthers {
				others = append(others, r)
			}
		}
	}
	if named {
		return own
	}
	return others
}

// allow reports whether a path with its query may be read: the longest pattern
// that matches decides, and Allow wins over Disallow (RFC 9309 section 2.2.2).
func (r rules) allow(path string) bool {
	allowed, longest := true, -1
	for _, rule := range r {
		n := len(rule.pattern)
		if n < longest || n == longest && !rule.allow || !matchRobots(rule.pattern, path) {
			continue
		}
		allowed, longest = rule.allow, n
	}
	return allowed || path == "/robots.txt"
}

// matchRobots matches the beginning of a path: "*" is any text, and "$" at the
// pattern's end is the path's end.
func matchRobots(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	if len(parts) == 1 {
		return !whole || path == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	if whole {
		return strings.HasSuffix(path, parts[last])
	}
	return strings.Contains(path, parts[last])
}
