// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/canary"
)

// benchSource is size bytes of source code, benchLog of log lines.
func benchSource(size int) string {
	const piece = "// next is the item after i, or nil at the end.\nfunc (l *list) next(i int) *item {\n\tif i+1 " +
		">= len(l.items) {\n\t\treturn nil\n\t}\n\treturn &l.items[i+1]\n}\n\n"
	return strings.Repeat(piece, size/len(piece))
}

func benchLog(size int) string {
	const piece = "2026-01-02T03:04:05.678Z INFO worker=12 GET /items/17?page=2 status=200 bytes=5120 took=12.5ms " +
		"trace=4bf92f3577b34da6a3ce929d0e0e4736\n"
	return strings.Repeat(piece, size/len(piece))
}

// pair measures redacting a document beside only checking that it is JSON, and tells how
// many times as long it takes.
func pair(b *testing.B, doc string) {
	in := []byte(doc)
	b.Run("redact", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			Default().JSON(in)
		}
		each := float64(b.Elapsed()) / float64(b.N)
		b.ReportMetric(each/validTime(in, b.N), "x-json.Valid")
	})
	b.Run("valid", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			json.Valid(in)
		}
	})
}

// validTime is how long json.Valid takes, in nanoseconds.
func validTime(in []byte, n int) float64 {
	begin := time.Now()
	for range n {
		json.Valid(in)
	}
	return float64(time.Since(begin)) / float64(n)
}

// BenchmarkClean is a call's arguments of 300 bytes without anything to look at twice.
func BenchmarkClean(b *testing.B) {
	pair(b, `{"path":"src/main.go","query":"find the handler of this route","limit":200,"recursive":true,`+
		`"tags":["go","http"],"range":{"from":10,"to":250},`+
		`"exclude":["vendor","testdata","docs"],"context":{"before":3,"after":3},"order":"modified","reason":"the `+
		`user wants to know why a request fails"}`)
}

// BenchmarkBenign is what holds names and numbers that look like secrets and are none.
func BenchmarkBenign(b *testing.B) {
	pair(b, `{"max_tokens":4096,"author":"Jane","id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301",`+
		`"commit":"9fceb02d0ae598e95dc970b74767f19372d61af8","at":"2026-01-02T03:04:05Z",`+
		`"primary_key":"order_id","note":"the api key of the user is in the vault","token_count":77,`+
		`"keyboard":"qwerty","public_key":"none","size":1099511627776}`)
}

// BenchmarkOneSecret is a document of 320 bytes with one thing to remove.
func BenchmarkOneSecret(b *testing.B) {
	pair(b, `{"path":"src/main.go","query":"find the handler of this route","limit":200,"recursive":true,`+
		`"range":{"from":10,"to":250},"note":"`+canary.Secrets(1)[2].Text+
		`","tags":["go","http"],"exclude":["vendor","testdata","docs"],"context":{"before":3,"after":3},`+
		`"order":"modified","reason":"a request fails"}`)
}

// BenchmarkSource64K is a file that a tool read, BenchmarkLog64K what one printed.
func BenchmarkSource64K(b *testing.B) { pair(b, object("text", benchSource(64<<10))) }

func BenchmarkLog64K(b *testing.B) { pair(b, object("text", benchLog(64<<10))) }
