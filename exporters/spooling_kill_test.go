// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/exporters"
)

// spoolVictim is the directory of a process that is this test binary, run again to be
// killed; victimRound is how often that was done before.
const (
	spoolVictim = "TOOLSCOPE_EXPORTERS_VICTIM"
	victimRound = "TOOLSCOPE_EXPORTERS_ROUND"
)

func init() {
	if dir := os.Getenv(spoolVictim); dir != "" {
		victim(dir, os.Getenv(victimRound))
		os.Exit(1)
	}
}

// victim ends about 2,000 spans a second whose destination is down, and prints the name and the
// end of each.
func victim(dir, round string) {
	o := fast
	o.WriteAhead = true
	p, err := exporters.Setup(context.Background(), exporters.Options{SpoolDir: dir, Spool: o})
	if err != nil {
		fmt.Println(err)
		return
	}
	tracer := p.TracerProvider.Tracer("test")
	for i := 0; ; i++ {
		name := fmt.Sprintf("span-%s-%d", round, i)
		_, span := tracer.Start(context.Background(), name)
		end := time.Now()
		span.End()
		if _, err := fmt.Println(name, end.UnixNano()); err != nil {
			return
		}
		if i%10 == 9 {
			time.Sleep(5 * time.Millisecond) // paces the spans of a process that is killed meanwhile
		}
	}
}

// killAVictim runs a process until it has ended a thousand spans, kills it, and returns when each of them
// ended before that.
func killAVictim(t *testing.T, dir string, round int) (before map[string]time.Duration) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), spoolVictim+"="+dir, fmt.Sprintf("%s=%d", victimRound, round))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(map[string]time.Time)
	var mu sync.Mutex
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var name string
			var nanos int64
			if n, _ := fmt.Sscan(lines.Text(), &name, &nanos); n == 2 {
				mu.Lock()
				ended[name] = time.Unix(0, nanos)
				mu.Unlock()
			}
		}
	}()
	eventually(t, "the victim works", func() bool { mu.Lock(); defer mu.Unlock(); return len(ended) > 1000 })
	killed := time.Now()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-read
	_ = cmd.Wait()
	before = make(map[string]time.Duration, len(ended))
	for name, end := range ended {
		before[name] = killed.Sub(end)
	}
	return before
}

// Ten processes are killed one after the other. Every span that had ended a while before kill -9 is sent by
// the process that comes last, just once, and its ledger says so. The while is less than 100 ms where the
// machine does not keep the process waiting; the test allows for one that does, and tells what it was.
func TestSpoolSurvivesKills(t *testing.T) {
	const allowed = 2 * time.Second
	address, dir := vacant(t), t.TempDir()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
	ended := make(map[string]time.Duration)
	for round := range 10 {
		maps.Copy(ended, killAVictim(t, dir, round))
	}
	m := new(moody)
	_, stop := m.serve(t, "grpc", address)
	defer stop()
	p := setup(t, exporters.Options{SpoolDir: dir, Spool: fast})
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all is sent", func() bool { return p.Spool().Stats().Spans == 0 })
	arrived := make(map[string]int)
	for name := range strings.FieldsSeq(m.received()) {
		if arrived[name]++; arrived[name] > 1 {
			t.Errorf("%s arrived twice", name)
		}
	}
	var oldest time.Duration
	lost := 0
	for name, before := range ended {
		if arrived[name] == 0 {
			lost++
			oldest = max(oldest, before)
		}
	}
	t.Logf("%d spans, %d of them ended within %v before a kill and were lost", len(ended), lost, oldest)
	if oldest > allowed {
		t.Errorf("a span that had ended %v before the kill was lost, want at most %v", oldest, allowed)
	}
	n := uint64(len(arrived))
	if l := p.Ledger()[0]; l.Found != n || l.Delivered != n || l.OnDisk+l.InMemory+l.DroppedSpans() != 0 {
		t.Errorf("%d arrived, the ledger says %v", n, l)
	}
	if s := p.Spool().Stats(); s.Corrupt != 0 || s.Replayed != n {
		t.Errorf("Stats: got %+v", s)
	}
}
