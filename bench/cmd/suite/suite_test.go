// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/bench"
)

// passes writes the outputs of passes, one file each, and loads them.
func passes(t *testing.T, outputs ...string) *samples {
	t.Helper()
	dir := t.TempDir()
	for i, output := range outputs {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("pass-%02d.txt", i)), []byte(output), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := load(filepath.Join(dir, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGoalsAreJudged: a ratio is that of each pass, whatever the machine did between, and its
// median decides.
func TestGoalsAreJudged(t *testing.T) {
	var outputs []string
	for pass, slow := range []float64{1, 1, 7, 1, 1, 3, 1} {
		outputs = append(outputs, fmt.Sprintf(`goos: linux
BenchmarkCall/mode=hand/goroutines=1-2 	 1000 	 %v ns/op 	 4704 B/op 	 13 allocs/op
BenchmarkCall/mode=sampled-off/goroutines=1-2 	 1000 	 %v ns/op 	 2960 B/op 	 11 allocs/op
BenchmarkCall/mode=sampled/goroutines=1-2 	 1000 	 %v ns/op 	 3288 B/op 	 13 allocs/op
BenchmarkTRPC/spans=on/calls=9-2 	 10 	 %v ns/op
BenchmarkTRPC/spans=on/calls=1-2 	 10 	 20000 ns/op
BenchmarkTRPC/spans=off/calls=9-2 	 10 	 50000 ns/op
BenchmarkTRPC/spans=off/calls=1-2 	 10 	 10000 ns/op
BenchmarkPeer/of=toolscope-sampled-2 	 10 	 500 ns/op
PASS
`, 3000*slow, 3000*slow*1.02, 3000*slow*2, 220000+pass))
	}
	var b strings.Builder
	passes(t, outputs...).writeGoals(&b)
	for _, want := range []string{
		"| sampled, redactor off | serial | 1.05× | 1.02× | 1.02× to 1.02× | met |",
		"| sampled, redactor off | allocations | 9 | 11 | 11 to 11 | missed |",
		"| sampled, redactor on | serial | 1.8× | 2× | 2× to 2× | missed |",
		"| peers | tRPC-Agent's | 0.2× | 0.025× |", // 500 of (220 - 20 - 50 + 10) / 8 µs
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant %s", b.String(), want)
		}
	}
	if strings.Contains(b.String(), "ToolHive") {
		t.Error("a goal that was not measured is in the table")
	}
}

func TestFewPassesHaveNoInterval(t *testing.T) {
	var b strings.Builder
	passes(
		t,
		"BenchmarkCall/mode=hand/goroutines=1-2 1 3 ns/op\nBenchmarkCall/mode=sampled-off/goroutines=1-2 1 3 ns/op\n",
	).writeGoals(
		&b,
	)
	if !strings.Contains(b.String(), "| 1× | too few passes | met |") {
		t.Errorf("got %s", b.String())
	}
}

// TestGoalsNameBenchmarks: what goals are measured by is a mode that there is.
func TestGoalsNameBenchmarks(t *testing.T) {
	for _, g := range goals {
		for _, c := range []*cell{&g.of, g.against, g.beside, g.below} {
			if c == nil {
				continue
			}
			for _, term := range c.terms {
				_, rest, ok := strings.Cut(term.name, "/mode=")
				if mode, _, _ := strings.Cut(rest, "/"); ok && !strings.HasPrefix(term.name, "Agent/") &&
					!strings.HasPrefix(term.name, "MCP/") {
					bench.Find(mode) // panics if there is none
				}
			}
		}
	}
}

func TestOutputsAreReadWhole(t *testing.T) {
	if _, err := load(filepath.Join(t.TempDir(), "*.txt")); err == nil {
		t.Error("got no error for no files, want one")
	}
	s := passes(
		t,
		"BenchmarkTools/tools=10-2 100 2000 ns/op 36000 B/tool\n",
		"BenchmarkTools/tools=10-2 100 4000 ns/op 36000 B/tool\n",
	)
	var b strings.Builder
	s.writeAll(&b)
	if want := "| Tools/tools=10 | 2 | 3 µs |"; !strings.Contains(b.String(), want) ||
		!strings.Contains(b.String(), "3.6e+04 B/tool") {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

// TestPlots: a plot is valid XML with a line for each series that was measured.
func TestPlots(t *testing.T) {
	s := passes(t, `BenchmarkTools/tools=10-2 100 2000 ns/op 36000 B/tool
BenchmarkTools/tools=10000-2 100 4000 ns/op 11000 B/tool
BenchmarkErrorGroups/groups=16/messages=known-2 100 2000 ns/op 700 B/group
BenchmarkErrorGroups/groups=16/messages=new-2 100 3000 ns/op 700 B/group
BenchmarkErrorGroups/groups=4096/messages=known-2 100 2000 ns/op 300 B/group
BenchmarkEndpointWindows/of=summary/window=1m-2 100 200000 ns/op
BenchmarkEndpointWindows/of=summary/window=24h-2 100 10000000 ns/op
BenchmarkEndpointWindows/of=summary/window=total-2 100 10000000 ns/op
`)
	dir := t.TempDir()
	if err := s.writePlots(dir); err != nil {
		t.Fatal(err)
	}
	for file, lines := range map[string]int{"calls.svg": 2, "memory.svg": 2, "windows.svg": 1} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(string(text)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		if got := strings.Count(string(text), `fill="none"`); got != lines {
			t.Errorf("%s: got %d lines, want %d", file, got, lines)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "lists.svg")); err == nil {
		t.Error("there is a plot of what was not measured")
	}
}

// TestInto: tables stand between their marks, however often they are written.
func TestInto(t *testing.T) {
	s := passes(
		t,
		"load: 0.52\ngoos: linux\ngoarch: amd64\ncpu: fast\nBenchmarkCall/mode=hand/goroutines=1-2 1 3 ns/op 9 "+
			"cpu-ns/op\nBenchmarkCall/mode=sampled-off/goroutines=1-2 1 6 ns/op 9 cpu-ns/op\n",
	)
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(
		path, []byte("head\n<!-- goals -->\nold\n<!-- end -->\nmiddle\n<!-- rows -->\n<!-- end -->\nfoot\n"),
		0o644,
	); err != nil {
		t.Fatal(err)
	}
	for _, processor := range []bool{false, true} {
		s.processor = processor
		if err := s.writeInto(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := "| 2× | too few passes | missed |"
		if processor {
			want = "| 1× | too few passes | met |"
		}
		for _, part := range []string{
			"head\n<!-- goals -->\n\nMeasured on linux/amd64, fast, ", want, "load average of up to 0.5;",
			"<!-- end -->\nmiddle\n<!-- rows -->\n", "| Call/mode=hand/goroutines=1 | 1 | 3 ns |",
			"<!-- end -->\nfoot\n",
		} {
			if strings.Count(string(text), part) != 1 {
				t.Errorf("got %s\nwant once %s", text, part)
			}
		}
		if strings.Contains(string(text), "old") {
			t.Error("what was between the marks is still there")
		}
	}
	if err := os.WriteFile(path, []byte("no mark\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.writeInto(path); err == nil {
		t.Error("got no error for a file without marks, want one")
	}
}

func TestDuration(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0 ns", 3.2e-9: "3.2 ns", 3.21e-6: "3.21 µs", 0.0123: "12.3 ms", 2: "2 s", -5e-7: "-500 ns",
	} {
		if got := duration(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}
