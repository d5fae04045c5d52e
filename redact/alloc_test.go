// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package redact

import "testing"

// TestCleanAllocatesNothing: doc.go promises clean input back without a copy. Under the
// race detector sync.Pool drops what it is given at random.
func TestCleanAllocatesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"JSON":         `{"path":"src/main.go","limit":200,"tags":["a","b"],"deep":{"n":[1,2.5,null,true]}}`,
		"escaped JSON": `{"text":"a line\nand \"another\" one with \u00e4"}`,
		"JSON in JSON": `{"content":[{"type":"text","text":"{\"rows\":[{\"id\":1,\"name\":\"x\"}]}"}]}`,
		"text":         "2026-01-02 03:04:05 INFO [worker-12] GET /items?page=2 took 12ms",
		"source":       benchSource(4 << 10),
	} {
		doc := []byte(text)
		for method, run := range map[string]func(){
			"Text":    func() { Default().Text(text) },
			"JSON":    func() { Default().JSON(doc) },
			"TextMax": func() { Default().TextMax(text, 16<<10) },
			"JSONMax": func() { Default().JSONMax(doc, 16<<10) },
		} {
			run() // the first one makes the working memory
			if n := testing.AllocsPerRun(100, run); n >= 1 {
				t.Errorf("%s of clean %s: %v allocations, want none", method, name, n)
			}
		}
	}
}

// TestFoundAllocatesOutput: where the same is found again, only the text that comes back is new.
func TestFoundAllocatesOutput(t *testing.T) {
	doc := []byte(`{"user":"ann","password":"hu3nter2Zq","headers":{"api_key":"0a1f2b3c4d5e6f70"}}`)
	run := func() { Default().JSONMax(doc, 4096) }
	run()
	if n := testing.AllocsPerRun(100, run); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}
