// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import "testing"

func TestStringMember(t *testing.T) {
	for object, want := range map[string]string{
		`{"skill":"pdf"}`: "pdf", ` { "a" : {"skill":"no"}, "skill" : "pdf" } `: "pdf", `{"a":["skill","x"],"b":"skill"}`: "",
		`{"skill":5}`: "", `{"skill":"a\n"}`: "", `{"skill":"a","skill":"b"}`: "b", `{"skill":"a","skill":null}`: "",
		`{"a\"":"x","skill":"p d"}`: "p d", `["skill","a"]`: "", `{"skill":"a"`: "", ``: "", `null`: "", `{}`: "", `"skill"`: "",
		`{"skill":["x"]}`: "", `{"skill":{"skill":"x"}}`: "",
	} {
		if got := stringMember([]byte(object), "skill"); got != want {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}
