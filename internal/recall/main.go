// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/toolscope/toolscope/redact"
)

// row is one line of a corpus; other fields are ignored.
type row struct {
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	MustRedact []string `json:"must_redact"`
	MustKeep   []string `json:"must_keep"`
	Kind       string   `json:"kind"`
	Tier       string   `json:"tier"`
	Class      string   `json:"class"`
	File       string   `json:"file"`
}

func main() {
	verbose := flag.Bool("v", false, "list the ids of what went wrong")
	show := flag.Bool("show", false, "list their texts as well")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: recall [-v] [-show] CORPUS.jsonl[.gz]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *verbose || *show, *show, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func run(file string, list, show bool, out io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(file, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	t, err := score(in)
	if err != nil {
		return err
	}
	if list {
		for _, w := range t.wrong {
			fmt.Fprintf(out, "%s\t%s\t%s%s\t%s\n", w.verdict, w.row.File, w.row.Tier, w.row.Class, w.row.ID)
			if show {
				fmt.Fprintf(out, "\tkind %s\n\tin   %.300q\n\tout  %.300q\n", w.row.Kind, w.row.Text, w.output)
			}
		}
	}
	return t.print(out)
}

// table counts rows by file and tier (what must go) or class (what must stay).
type table struct {
	cells map[[3]string]*cell
	wrong []wrong
}

type cell struct{ all, wrong int }

type wrong struct {
	verdict string
	row     row
	output  string
}

func score(in io.Reader) (*table, error) {
	t := &table{cells: map[[3]string]*cell{}}
	dec := json.NewDecoder(in)
	for n := 1; ; n++ {
		var r row
		if err := dec.Decode(&r); err == io.EOF {
			return t, nil
		} else if err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		if len(r.MustRedact) > 0 {
			output, _ := redact.Default().Text(r.Text)
			t.count("missed", r, output, survives(output, r.MustRedact))
		} else if len(r.MustKeep) > 0 {
			output, _ := redact.Default().Text(r.Text)
			t.count("harmed", r, output, output != r.Text && !keeps(output, r.MustKeep))
		}
	}
}

func (t *table) count(verdict string, r row, output string, bad bool) {
	key := [3]string{verdict, r.File, r.Tier + r.Class}
	c := t.cells[key]
	if c == nil {
		c = &cell{}
		t.cells[key] = c
	}
	c.all++
	if bad {
		c.wrong++
		t.wrong = append(t.wrong, wrong{verdict, r, output})
	}
}

func survives(output string, secrets []string) bool {
	texts := append([]string{output}, decoded(output, 0)...)
	for _, s := range secrets {
		n := min(len(s), max(8, len(s)/2))
		for i := 0; i+n <= len(s); i++ {
			if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, s[i:i+n]) }) {
				return true
			}
		}
	}
	return false
}

func keeps(output string, values []string) bool {
	texts := append([]string{output}, decoded(output, 0)...)
	for _, v := range values {
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, v) }) {
			return false
		}
	}
	return true
}

// decoded is every string that decoding text as JSON gives, recursively.
func decoded(text string, depth int) []string {
	var v any
	if depth > 6 || json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(append(all, v), decoded(v, depth+1)...)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				all = append(all, k)
				walk(x)
			}
		}
	}
	walk(v)
	return all
}

func (t *table) print(out io.Writer) error {
	keys := make([][3]string, 0, len(t.cells))
	for k := range t.cells {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [3]string) int {
		return cmp.Or(-strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]), strings.Compare(a[2], b[2]))
	})
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SOURCE\tTIER OR CLASS\tROWS\tWRONG\tRATE")
	for _, k := range keys {
		c := t.cells[k]
		rate := fmt.Sprintf("%.1f %% caught", 100-100*float64(c.wrong)/float64(c.all))
		if k[0] == "harmed" {
			rate = fmt.Sprintf("%.1f %% harmed", 100*float64(c.wrong)/float64(c.all))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", k[1], k[2], c.all, c.wrong, rate)
	}
	return w.Flush()
}
