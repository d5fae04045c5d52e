// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "testing"

func TestSplice(t *testing.T) {
	for _, tt := range []struct {
		text, value string
		path        []string
		want        string
	}{
		{`{"id":1,"x":2}`, `"a"`, []string{"id"}, `{"id":"a","x":2}`},
		{` { "x" : [1,2] , "id" : 1 } `, `7`, []string{"id"}, ` { "x" : [1,2] , "id" : 7 } `},
		{`{}`, `7`, []string{"id"}, `{"id":7}`},
		{`{ }`, `7`, []string{"id"}, `{"id":7 }`},
		{`{"params":{"name":"x"}}`, `"v"`, []string{"params", "_meta", "traceparent"}, `{"params":{"_meta":{` +
			`"traceparent":"v"},"name":"x"}}`},
		{`{"params":{"_meta":{"a":1}}}`, `"v"`, []string{"params", "_meta", "b"}, `{"params":{"_meta":{"b":"v","a":1}}}`},
		{`{"id":1,"id":2}`, `3`, []string{"id"}, `{"id":1,"id":3}`},
		{`{"params":5}`, `3`, []string{"params", "x"}, ""},
		{`[]`, `3`, []string{"x"}, ""},
	} {
		got, err := Splice([]byte(tt.text), []byte(tt.value), tt.path...)
		if string(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s at %q: got %s and %v, want %s", tt.text, tt.path, got, err, tt.want)
		}
	}
}
