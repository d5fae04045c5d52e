// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/scan"
)

// filled is piece again and again, size bytes of it.
func filled(piece string, size int) string { return strings.Repeat(piece, size/len(piece)+1)[:size] }

const prosePiece = "The quick brown fox jumps over the lazy dog, and then it walks home along the river.\n"

// BenchmarkHostile tells for the pieces of hostile how many times the time of prose they take:
// at most 20 is the goal.
func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 16 << 20} {
		for _, name := range slices.Sorted(maps.Keys(hostile)) {
			text, prose := filled(hostile[name], size), filled(prosePiece, size)
			b.Run(fmt.Sprintf("bytes=%d/%s", size, strings.ReplaceAll(name, " ", "-")), func(b *testing.B) {
				for b.Loop() {
					Default().Text(text)
				}
				each := float64(b.Elapsed()) / float64(b.N)
				begin := time.Now()
				for range b.N {
					Default().Text(prose)
				}
				b.ReportMetric(each/(float64(time.Since(begin))/float64(b.N)), "x-prose")
			})
		}
	}
}

// TestWorkIsBounded counts the steps of every hostile text: no more than a text may spend.
func TestWorkIsBounded(t *testing.T) {
	for name, piece := range hostile {
		for _, size := range []int{100, 1 << 10, 1 << 15} {
			text := filled(piece, size)
			// Each pass reads the text, and what is opened in it, beside what it spends.
			if got, most := steps(text, Defaults), int64(1<<15+size*(defaultLimits.Work+8*maxPasses)); got > most {
				t.Errorf("%s, %d bytes: got %d steps, want %d at most", name, size, got, most)
			}
		}
	}
}

// TestJSONMaxIsBoundByItsLimit counts the steps of a large text of which little is shown.
func TestJSONMaxIsBoundByItsLimit(t *testing.T) {
	const limit = 4 << 10
	for _, piece := range []string{"key=", "?sig=", "a://b:c", "password: ", "some words "} {
		for _, text := range []string{filled(piece, 1<<20), object("text", filled(piece, 1<<20))} {
			r, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.engine.Tally = new(scan.Tally)
			out, _ := r.JSONMax([]byte(text), limit)
			if len(out) > limit {
				t.Errorf("%s: got %d bytes, want %d", piece, len(out), limit)
			}
			if got, most := r.engine.Tally.Steps.Load(), int64(64*limit*(defaultLimits.Work+8)); got > most {
				t.Errorf("%s: got %d steps, want %d at most", piece, got, most)
			}
		}
	}
}

// TestOneHostileRunIsRemovedByItself has text before and behind a run whose values lie in each other.
func TestOneHostileRunIsRemovedByItself(t *testing.T) {
	for _, piece := range []string{"key=", "token=", "password->", "a://b:c", "https://", "kind: Secret\n"} {
		text := "first words\n" + filled(piece, 4<<10) + "\n" + filled("some more words of a text\n", 16<<10) + "last words"
		out, _ := Default().Text(text)
		if !strings.HasPrefix(out, "first words") || !strings.HasSuffix(out, "last words") {
			t.Errorf("%s: the text around it is gone", piece)
		}
	}
}

// ordinary makes the line n of files that are dense with names and secrets, and not made to be costly.
var ordinary = map[string]func(n int) string{
	"environment": func(n int) string { return fmt.Sprintf("APP_%d_PASSWORD=hu3nter2Zq%d\n", n, n) },
	"log": func(n int) string {
		return fmt.Sprintf("12:00:01 INFO user=u%d token=%08x%08x ok\n", n, n*7919, n*104729)
	},
	"CSV":       func(n int) string { return fmt.Sprintf("%d,ann%d,hu3nter2Zq%d,active,2026-01-02\n", n, n, n) },
	"YAML":      func(n int) string { return fmt.Sprintf("- name: svc%d\n  password: hu3nter2Zq%d\n  port: 80\n", n, n) },
	"commands":  func(n int) string { return fmt.Sprintf("curl -u ann:hu3nter2Zq%d https://api.example.com/%d\n", n, n) },
	"URLs":      func(n int) string { return fmt.Sprintf("postgres://app:hu3nter2Zq%d@db%d.internal:5432/app\n", n, n) },
	"source":    func(n int) string { return fmt.Sprintf("\tcfg.Token%d = os.Getenv(\"API_TOKEN_%d\")\n", n, n) },
	"JSON rows": func(n int) string { return fmt.Sprintf(`{"id":%d,"password":"hu3nter2Zq%d"}`+"\n", n, n) },
}

// TestOrdinaryTextIsScanned has files of 512 KiB, and a log of 16 MiB.
func TestOrdinaryTextIsScanned(t *testing.T) {
	for name, line := range ordinary {
		size := 512 << 10
		if name == "log" && !testing.Short() && raceSaving == 1 {
			size = 16 << 20
		}
		var b strings.Builder
		if name == "CSV" {
			b.WriteString("id,name,password,state,date\n")
		}
		for n := 0; b.Len() < size; n++ {
			b.WriteString(line(n))
		}
		out, _ := Default().Text(b.String())
		if strings.Contains(out, "unscanned") {
			t.Errorf("%s of %d bytes: got %d bytes, unscanned", name, b.Len(), len(out))
		}
		if strings.Contains(out, "hu3nter2Zq") {
			t.Errorf("%s: a secret stays", name)
		}
	}
}

// TestBinaryIsRemovedAsAWhole has texts that must not be taken for binary, and what is.
func TestBinaryIsRemovedAsAWhole(t *testing.T) {
	secret := canary.Secrets(1)[0].Text
	noise := make([]byte, 4096)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
	}
	wide := func(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" }
	for name, c := range map[string]struct {
		text   string
		binary bool
	}{
		"an executable":       {"\x7fELF\x02\x01\x01" + string(noise) + secret, true},
		"a picture":           {"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00" + string(noise), true},
		"text":                {filled(prosePiece, 2000), false},
		"UTF-16":              {wide(filled(prosePiece, 2000)), false},
		"NUL between strings": {strings.Repeat("PATH=/usr/bin\x00HOME=/root\x00", 40), false},
		"colours":             {strings.Repeat("\x1b[31mred\x1b[0m\n", 100), false},
		"Latin-1":             {strings.Repeat("\xe4\xf6\xfc stra\xdfe und mehr Text ", 100), false},
		"Japanese":            {strings.Repeat("日本語のテキスト", 100), false},
	} {
		out, found := Default().Text(c.text)
		if got := out == "[REDACTED:binary]"; got != c.binary {
			t.Errorf("%s: got %.60q (%v)", name, out, found)
		}
		if out, _ := Default().TextMax(c.text+filled("\x00\x01\xff", 1<<17), 100); c.binary && out != "[REDACTED:binary]" {
			t.Errorf("%s, cut: got %.60q", name, out)
		}
	}
	if out, _ := Default().Text("x\x00y\x01\x02" + strings.Repeat("words ", 100) + secret); strings.Contains(out, secret) {
		t.Error("a secret behind some control characters stays")
	}
}
