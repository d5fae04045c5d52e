// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/scan"
)

// TestPiecesOfTexts scans pieces of the templates of all sets, cut anywhere. A fault of a rule would be seen as a text that
// was not scanned, which is removed as a whole.
func TestPiecesOfTexts(t *testing.T) {
	files, err := filepath.Glob("testdata/fresh/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	n := 3000
	if testing.Short() {
		n = 500
	}
	rnd := rand.New(rand.NewPCG(11, 23))
	engine := Default().engine
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "⏎", "\n")
		for range n {
			start := rnd.IntN(len(text))
			piece := text[start:min(len(text), start+rnd.IntN(160))]
			for _, s := range []string{piece, `{"note":` + strconv.Quote(piece) + `}`} {
				func() {
					defer func() {
						if fault, ok := recover().(runtime.Error); ok {
							t.Errorf("%q: %v", s, fault)
						}
					}()
					sc := scan.NewScanner(engine, len(s))
					sc.Look(s, engine.Classify(""), s != piece)
					sc.Release()
				}()
			}
		}
	}
}
