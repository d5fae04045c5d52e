// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/tools/data"
)

func BenchmarkCalculator(b *testing.B) {
	for _, expression := range []string{"(0.1 + 0.2) * 3 - 4 / 8", "60 mph to km/h", "sqrt(2)", "sin(30 deg)", "2^0.5"} {
		b.Run(expression, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Calculate(expression); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMatches compares the search that can be stopped with the one that cannot.
func BenchmarkMatches(b *testing.B) {
	const pattern = `(\w+)=(\w+)`
	text := strings.Repeat("some words, key=value, and more words\n", 1000)
	b.Run("regexp", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		re := regexp.MustCompile(pattern)
		for b.Loop() {
			re.FindAllStringSubmatchIndex(text, -1)
		}
	})
	b.Run("stoppable", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := data.Matches(context.Background(), pattern, text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
