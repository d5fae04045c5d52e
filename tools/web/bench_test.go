// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/tools/web"
)

// BenchmarkPage reads an ordinary page of 100 KB in each format.
func BenchmarkPage(b *testing.B) {
	head, body, _ := strings.Cut(orchard, "<body>")
	page := head + "<body>" + strings.Repeat(body, 100_000/len(body))
	for _, format := range web.Formats {
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := web.Content(page, format); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
