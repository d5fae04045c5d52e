// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/redact/internal/scan"
)

// A removal is a value that is removed of a corpus, with the text around it.
type removal struct{ corpus, kind, before, value, behind string }

// removalSample keeps a sample of the removals of each corpus, and counts bytes.
type removalSample struct {
	*rand.Rand
	most           int // of a corpus
	seen           map[string]int
	kept           map[string][]removal
	bytes, removed map[string]int
	kinds          map[string]map[string]int // bytes removed by corpus and kind
}

// addText redacts a text of a corpus. The places are those of the redactor's first pass.
func (c *removalSample) addText(corpus, text string) {
	c.bytes[corpus] += len(text)
	if c.kinds[corpus] == nil {
		c.kinds[corpus] = make(map[string]int)
	}
	engine := Default().engine
	sc := scan.NewScanner(engine, len(text))
	defer func() {
		if recover() != nil { // given up: the whole text goes
			c.removed[corpus] += len(text)
			c.kinds[corpus]["unscanned"] += len(text)
			c.keep(removal{corpus, "unscanned", text[:min(len(text), 120)], "whole text", ""})
		}
	}()
	sc.Look(text, engine.Classify(""), false)
	for i := range sc.Spans {
		kind := sc.Spans[i].Kind.Name()
		start, end := sc.Spans[i].Offset(), sc.Spans[i].End()
		c.removed[corpus] += end - start
		c.kinds[corpus][kind] += end - start
		kept := removal{corpus, kind, text[max(0, start-70):start], text[start:end],
			text[end:min(len(text), end+30)]}
		c.keep(kept)
	}
	sc.Release()
}

// keep takes a removal into the sample of its corpus, or not, by chance. Texts that are given up are always in it.
func (c *removalSample) keep(r removal) {
	c.seen[r.corpus]++
	if list := c.kept[r.corpus]; len(list) < c.most || r.kind == "unscanned" {
		c.kept[r.corpus] = append(list, r)
	} else if k := c.IntN(c.seen[r.corpus]); k < c.most && list[k].kind != "unscanned" {
		list[k] = r
	}
}

// TestRemovalPlaces checks that the sample shows the place of a removal, not an earlier occurrence of its text.
func TestRemovalPlaces(t *testing.T) {
	c := &removalSample{most: 9, seen: map[string]int{}, kept: map[string][]removal{}, bytes: map[string]int{},
		removed: map[string]int{}, kinds: map[string]map[string]int{}}
	c.addText("x", "zebra77Quilt is a word\nbegin password: ann\nend password=zebra7")
	var places []string
	for _, r := range c.kept["x"] {
		places = append(places, r.before[strings.LastIndexByte(r.before, '\n')+1:]+"|"+r.value+"|"+r.behind)
	}
	if want := []string{"begin password: |ann|\nend password=zebra7", "end password=|zebra7|"}; !slices.Equal(places, want) {
		t.Errorf("got %q, want %q", places, want)
	}
}

// maxRemovalFile is the largest file that is read of a corpus, in bytes.
const maxRemovalFile = 256 << 10

// addFiles redacts every so many of the text files below a folder.
func (c *removalSample) addFiles(corpus, folder string, every int) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || c.IntN(every) != 0 {
			return nil
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxRemovalFile {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && !strings.Contains(string(text), "\x00") {
			c.addText(corpus, string(text))
		}
		return nil
	})
}

// TestRemovals prints a sample of what is removed of traffic-like texts, for a reader to judge one by one:
// TOOLSCOPE_REDACT_REMOVALS="SEED N [CORPUS=FOLDER:EVERY …]" (make redact-removals).
func TestRemovals(t *testing.T) {
	args := strings.Fields(os.Getenv("TOOLSCOPE_REDACT_REMOVALS"))
	if len(args) < 2 {
		t.Skip("make redact-removals runs it")
	}
	var seed uint64
	n := 300
	fmt.Sscan(args[0], &seed)
	fmt.Sscan(args[1], &n)
	c := &removalSample{Rand: rand.New(rand.NewPCG(seed, 300)), most: n / (len(args) - 1), seen: map[string]int{},
		kept: map[string][]removal{}, bytes: map[string]int{}, removed: map[string]int{},
		kinds: map[string]map[string]int{}}
	for _, set := range []*reviewSet{firstReview, unseenReview} {
		set.eachMix(t, 2, 1000, seed, func(r *review) { c.addText("generated", r.text.String()) })
	}
	corpora := []string{"generated"}
	for _, arg := range args[2:] {
		corpus, folder, _ := strings.Cut(arg, "=")
		folder, every, _ := strings.Cut(folder, ":")
		part := 1
		fmt.Sscan(every, &part)
		c.addFiles(corpus, folder, part)
		corpora = append(corpora, corpus)
	}
	clean := strings.NewReplacer("\n", "⏎", "\t", " ")
	var w strings.Builder
	for _, corpus := range corpora {
		fmt.Fprintf(&w, "\n== %s: %d bytes, %d removals of %d bytes, by kind %v\n", corpus, c.bytes[corpus], c.seen[corpus],
			c.removed[corpus], c.kinds[corpus])
		for i, r := range c.kept[corpus] {
			fmt.Fprintf(&w, "%3d %-14s %s>>>%s<<<%s\n", i+1, r.kind, clean.Replace(r.before), clean.Replace(r.value),
				clean.Replace(r.behind))
		}
	}
	t.Log(w.String())
}
