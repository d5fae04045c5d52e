// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/toolscope/toolscope/internal/calllog"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
)

// readAll reads a log without a bar.
func readAll(from io.Reader, to LineAdder) (*Counts, error) {
	counts := new(Counts)
	return counts, Read(from, to, &Progress{off: true}, counts, func() error { return nil })
}

func TestReadInPieces(t *testing.T) {
	long := `{"tool":"a","duration_us":1,"x":"` + strings.Repeat("y", MaxLine) + `"}`
	text := `{"tool":"a","duration_us":1}` + "\n" + long + "\n" + `{"tool":"a","duration_us":2}` + "\r\n\n" + long
	for name, from := range map[string]io.Reader{
		"at once":      strings.NewReader(text),
		"halves":       iotest.HalfReader(strings.NewReader(text)),
		"with its end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		log := calllog.New(nil)
		counts, err := readAll(from, log)
		if err != nil || counts.Lines != 4 || counts.Calls != 2 || counts.Bad != 2 ||
			counts.First[0].Line != 2 || counts.First[1].Line != 5 {
			t.Errorf("%s: got %+v (%v)", name, counts, err)
		}
		if n := log.Snapshot().Tool("a").Executed.Count(); n != 2 {
			t.Errorf("%s: got %d calls, want 2", name, n)
		}
	}
	small := `{"tool":"a","duration_us":1}` + "\n" + `{"tool":"a","duration_us":2}`
	if counts, err := readAll(iotest.OneByteReader(strings.NewReader(small)), calllog.New(nil)); err != nil ||
		counts.Calls != 2 {
		t.Errorf("byte by byte: got %+v (%v)", counts, err)
	}
	broken := errors.New("broken")
	if _, err := readAll(iotest.ErrReader(broken), calllog.New(nil)); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func TestProgressBar(t *testing.T) {
	var b strings.Builder
	p := &Progress{bar: screen.Bar{W: &b}, size: 200}
	p.setBytes(50, 10)
	p.shown = p.shown.Add(-2 * progressPause)
	p.begun = p.begun.Add(-progressPause)
	p.setBytes(100, 20)
	p.Clear()
	got := b.String()
	if !strings.Contains(got, "50 %") || !strings.Contains(got, "20 lines") || !strings.HasSuffix(got, "\r\x1b[K") ||
		strings.Count(got, "█") != 15 {
		t.Errorf("got %q", got)
	}
}

// BenchmarkReport tells lines per second of a log as harnesses write them.
func BenchmarkReport(b *testing.B) {
	var text strings.Builder
	const lines = 10_000
	for i := range lines {
		fmt.Fprintf(
			&text,
			`{"time":"2026-11-01T00:00:%02d.015Z","session":"run-%d","tool":"tool-%d",`,
			i%60,
			i%500,
			i%8,
		)
		fmt.Fprintf(&text, `"call_id":"call_%08x","duration_us":%d,"outcome":"executed"`, i, i)
		if i%20 == 0 {
			fmt.Fprintf(
				&text,
				`,"error_type":"tool_error","error":"open /src/main_%d.go: no such file or directory"`,
				i,
			)
		}
		text.WriteString("}\n")
	}
	b.SetBytes(int64(text.Len()))
	n := 0
	for b.Loop() {
		if _, err := readAll(strings.NewReader(text.String()), calllog.New(nil)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n*lines)/b.Elapsed().Seconds(), "lines/s")
}
