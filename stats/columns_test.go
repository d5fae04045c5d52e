// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
)

// TestColumnsAreFieldsOfOneType: reading a struct as an array needs fields of one type only.
func TestColumnsAreFieldsOfOneType(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		each reflect.Type
		n    uintptr
	}{
		{reflect.TypeFor[Counters](), reflect.TypeFor[uint64](), counterColumns},
		{reflect.TypeFor[Histograms](), reflect.TypeFor[*Histogram](), histogramColumns},
	} {
		if got := uintptr(c.of.NumField()); got != c.n {
			t.Errorf("%v: got %d fields and %d columns", c.of, got, c.n)
		}
		for i := range c.of.NumField() {
			f := c.of.Field(i)
			if f.Type != c.each || f.Tag.Get("json") == "" {
				t.Errorf("%v.%s: got %v `%s`, want %v with a JSON name", c.of, f.Name, f.Type, f.Tag, c.each)
			}
			if (f.Tag.Get("metric") == "") != (f.Tag.Get("help") == "") {
				t.Errorf("%v.%s: got the tags `%s`, want metric and help, or neither", c.of, f.Name, f.Tag)
			}
		}
	}
	var counters Counters
	var histograms Histograms
	for i := range counters.columns() {
		counters.columns()[i] = uint64(i + 1)
		if got := reflect.ValueOf(counters).Field(i).Uint(); got != uint64(i+1) {
			t.Errorf("Counters: column %d is not field %d: got %d", i, i, got)
		}
	}
	for i := range histograms.columns() {
		histograms.columns()[i] = new(Histogram)
		if got := reflect.ValueOf(histograms).Field(i).IsNil(); got {
			t.Errorf("Histograms: column %d is not field %d", i, i)
		}
	}
}

// TestFirstColumnsStay: files hold columns by their position, so that a new one comes after those there are.
func TestFirstColumnsStay(t *testing.T) {
	for _, c := range []struct {
		of    reflect.Type
		first string
	}{
		{reflect.TypeFor[Counters](), "BytesIn BytesOut Retries Empty Suspended Looped Redactions Truncations"},
		{reflect.TypeFor[Histograms](), "Executed Failed CacheHit Coalesced Repeated Refused Queue Approval Backoff"},
	} {
		for i, want := range strings.Fields(c.first) {
			if got := c.of.Field(i).Name; got != want {
				t.Errorf("%v: got %s in the place of %s, where files have %s: want a new field at the end", c.of, got, want, want)
				break
			}
		}
	}
}

// TestLaterColumnsAreStored: a column that files of the first version do not have is stored, with
// and without facts of policies, and a program that has fewer columns reads the others.
func TestLaterColumnsAreStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := mixed(t).Snapshot(Window{}).Tools
		for i := range tools {
			tools[i].Streak = 0 // not stored
		}
		plain := []ToolSnapshot{{Tool: "a", Counters: tools[0].Counters, LastSeen: tools[0].LastSeen}}
		defer func(before struct{ histograms, counters int }) { firstColumns = before }(firstColumns)
		firstColumns.histograms, firstColumns.counters = 3, 0
		for name, want := range map[string][]ToolSnapshot{"with facts": tools, "without": plain} {
			d := decoder{rest: appendTools(nil, want)}
			if got := d.tools(); d.err != nil || len(d.rest) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got  %+v (%v)\nwant %+v", name, got, d.err, want)
			}
			for cut := range appendTools(nil, want) {
				d := decoder{rest: appendTools(nil, want)[:cut]}
				d.tools() // must not panic
			}
		}
		more := appendPolicies(appendColumns([]byte{1, 1, 'a'}, make([]*Histogram, 3), nil), nil)
		more = append(more, 0, 0, 0, 0, 0, 0) // cost, peak, streak, time, types, exemplars
		more = append(more, 0, 0)             // no facts, and none of the tool
		more = append(more, 20, 9)            // later columns: more than there are here
		more = append(more, make([]byte, 20)...)
		more = append(more, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		d := decoder{rest: more}
		if got := d.tools(); d.err != nil || len(got) != 1 || got[0].BytesIn != 1 || got[0].Truncations != 8 {
			t.Errorf("more columns than are known: got %+v (%v)", got, d.err)
		}
	})
}

// A column that no line counts would be 0 for ever, in every report.
func TestEachCounterIsCounted(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Counters]()) {
		if !strings.Contains(code.String(), "atomic.AddUint64(&counters."+f.Name+",") {
			t.Errorf("no line counts stats.Counters.%s, want atomic.AddUint64(&counters.%s, …)", f.Name, f.Name)
		}
	}
}
