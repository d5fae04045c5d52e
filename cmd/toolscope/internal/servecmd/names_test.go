// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"fmt"
	"strings"
	"testing"
)

func TestMentions(t *testing.T) {
	got := mentions([]byte(`
tools:
  a__b: {enabled: false}
policies:
  cache: {tools: [c, "d[0]"]}
  timeout: {tools: {e: 1s}, max_tools: {f: 2s}}
  limit: {concurrency: {per_tool: 1, tools: {g: 2}}}
  approve: {patterns: [{tool: "h__*"}], people: [{name: x, tools: ["?i"]}]}
  breaker: {max_tools: 5}
`))
	want := "[{tools a__b} {policies.cache.tools c} {policies.cache.tools d[0]} {policies.timeout.tools e} " +
		"{policies.timeout.max_tools f} " +
		"{policies.limit.concurrency.tools g} {policies.approve.patterns.tool h__*} {policies.approve.people.tools ?i}]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for _, text := range []string{"", "- a", "a", "tools: 5", "tools: [[a], {b: c}]", "{", strings.Repeat("[", 100)} {
		for _, m := range mentions([]byte(text)) {
			m.names("a")
		}
	}
	for pattern, names := range map[string]string{"h__*": "h__x/y", "?i": "ii", "d[0]": "d[0]", `a\b`: `a\b`} {
		if !(mention{name: pattern}).names(names) {
			t.Errorf("%s does not mean %s", pattern, names)
		}
	}
}
