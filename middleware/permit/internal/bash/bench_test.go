// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "testing"

// Reading a line is a few microseconds, mostly the parser's.
func BenchmarkParse(b *testing.B) {
	for name, line := range map[string]string{
		"simple":  "git status",
		"pipe":    "git log --oneline -n 20 | grep -i fix && echo done > out.txt",
		"nested":  `find . -name '*.go' -exec sh -c 'gofmt -l "$1" | head' x {} \; | xargs -n1 env LANG=C sort > "$OUT"`,
		"heredoc": "cat > main.go <<'EOF'\npackage main\n\nfunc main() { println(1) }\nEOF\ngo build ./... && go test ./...",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(line)
			}
		})
	}
}
