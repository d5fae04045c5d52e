// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package democmd

import "testing"

func TestJaegerAddresses(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://localhost:4317":    "http://localhost:16686",
		"https://jaeger.example/x": "http://jaeger.example:16686",
		"10.0.0.1:4317":            "http://10.0.0.1:16686",
		"http://[::1]:4317":        "http://[::1]:16686",
		"::::":                     "http://localhost:16686",
	} {
		if got := jaegerUI(endpoint); got != want {
			t.Errorf("jaegerUI(%q): got %q, want %q", endpoint, got, want)
		}
	}
}
