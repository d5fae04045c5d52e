// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/baseline"
	"github.com/toolscope/toolscope/middleware/permit"
	"github.com/toolscope/toolscope/toolkit"
)

// warm makes n calls of a tool with one target, at the same time of the clock.
func (d *traffic) warm(tool string, n int) {
	for range n {
		d.make(made{tool: tool, target: "https://known.example/a", size: 100})
	}
}

func TestSignals(t *testing.T) {
	d := newTraffic(t, baseline.Options{Warmup: 20, Targets: map[string][]string{"mail": {"target"}}})
	if d.warm("read", 20); len(d.signals) > 0 {
		t.Errorf("in the warm-up: got %v, want nothing", d.signals)
	}
	for _, tt := range []struct {
		what string
		call made
		want string
	}{
		{"as before", made{tool: "read", target: "https://known.example/b", size: 4000}, ""},
		{"another host", made{tool: "read", target: "https://elsewhere.example/a"}, "baseline.target"},
		{"it is known now", made{tool: "read", target: "https://ELSEWHERE.example/z"}, ""},
		{"a large result", made{tool: "read", target: "https://known.example/a", size: 20_000}, "baseline.size"},
		{"a new tool, whatever its target", made{tool: "mail", target: "Bo"}, "baseline.first_use"},
		{"it is known, too", made{tool: "mail", target: "Bo"}, ""},
	} {
		if got := strings.Join(d.make(tt.call), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.what, got, tt.want)
		}
	}
	for range 10 {
		d.make(made{tool: "mail", target: "Bo"})
	}
	if got := d.make(made{tool: "mail", target: "eve"}); !slices.Contains(got, "baseline.target") {
		t.Errorf("a value that Targets names: got %q", got)
	}
	d.session.Agent = "another"
	if got := d.make(made{tool: "mail", target: "eve"}); len(got) > 0 {
		t.Errorf("another agent, which is in its warm-up: got %q", got)
	}
	d.session.ID = ""
	if got := d.make(made{tool: "read"}); !slices.Equal(got, []string{"baseline"}) {
		t.Errorf("without a session: got %q", got)
	}
}

func TestVolumeAndHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTraffic(t, baseline.Options{Warmup: 20})
		for range 8 {
			for range 4 {
				d.warm("read", 10)
				time.Sleep(10 * time.Minute) // on the clock of the test
			}
			time.Sleep(24*time.Hour - 40*time.Minute)
		}
		if len(d.signals) > 0 {
			t.Fatalf("steady calls: got %v", d.signals)
		}
		d.warm("read", 30)
		if len(d.signals) > 0 {
			t.Errorf("up to three times as many: got %v", d.signals)
		}
		d.warm("read", 100)
		if got := d.signals["baseline.volume"]; got != 3 { // beyond 30, 62 and 126
			t.Errorf("13 times as many calls: got %d signals, want one at each double", got)
		}
		time.Sleep(2 * time.Hour) // the hour after is like the hour itself
		if got := d.make(made{tool: "read", size: 1}); !slices.Contains(got, "baseline.hour") {
			t.Errorf("two hours later than ever: got %q", got)
		}
		if got := d.make(made{tool: "read", size: 1}); len(got) > 0 {
			t.Errorf("the same again: got %q", got)
		}
	})
}

// TestAskedAboutUnusualCalls: a person is asked whatever rules allow, and what is refused does not become usual.
func TestAskedAboutUnusualCalls(t *testing.T) {
	var asked []string
	answer := false
	approver, err := approve.New(approve.Options{WithoutSensitive: true, Askers: []approve.Asker{
		asker(func(r approve.Request) bool { asked = append(asked, r.Rule+": "+r.Reason); return answer })}})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := permit.Compile(permit.Spec{Rules: []permit.Rule{{Name: "all", Tools: []string{"*"}, Effect: permit.Allow}}})
	if err != nil {
		t.Fatal(err)
	}
	gate, err := permit.New(permit.Options{Rules: rules, Approver: true})
	if err != nil {
		t.Fatal(err)
	}
	usual, err := baseline.New(baseline.Options{Warmup: 10, Approver: true,
		Ask: []baseline.Signal{baseline.FirstUse, baseline.Target}})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) { ran++; return toolkit.Result{}, nil }
	h := middleware.Wrap(tool, approver, usual, gate)
	h = toolkit.Observe(func(name string) *toolkit.Definition { return &toolkit.Definition{Name: name} })(h)
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Agent: "a"})
	call := func(tool, arguments string) { _, _ = h(ctx, toolkit.Call{Name: tool, Arguments: []byte(arguments)}) }
	for range 10 {
		call("read", `{"path":"/srv/a"}`)
	}
	for range 3 { // a refused call is asked about again
		call("send", "")
	}
	if ran != 10 || len(asked) != 3 || !strings.Contains(asked[0], "baseline: this agent has not used the tool before") {
		t.Errorf("refused: got %d runs and the questions %q", ran, asked)
	}
	answer, asked = true, nil
	call("send", "")
	call("send", "")
	call("read", `{"path":"/etc/shadow"}`)
	if ran != 13 || len(asked) != 2 || !strings.Contains(asked[1], "/etc") {
		t.Errorf("approved: got %d runs and the questions %q", ran, asked)
	}
}

// asker answers at once.
type asker func(approve.Request) bool

func (a asker) Ask(_ context.Context, r approve.Request) (approve.Answer, error) {
	return approve.Answer{Approved: a(r), By: "ada"}, nil
}

func TestLearnedStateSurvivesARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	start := func() (*traffic, middleware.Policy) {
		d := newTraffic(t, baseline.Options{Warmup: 20, File: file})
		return d, d.policy
	}
	d, policy := start()
	d.session.Agent = "secret-agent"
	d.warm("read_everything", 20)
	if err := closed(policy); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v, want a file for its owner only", info, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret-agent", "read_everything", "known.example"} {
		if strings.Contains(string(text), name) {
			t.Errorf("the file has the name %s", name)
		}
	}
	d, policy = start()
	d.session.Agent = "secret-agent"
	if got := d.make(made{tool: "read_everything", target: "https://known.example/x"}); len(got) > 0 {
		t.Errorf("a usual call after the restart: got %q", got)
	}
	if got := d.make(made{tool: "send"}); !slices.Contains(got, "baseline.first_use") {
		t.Errorf("a new tool after the restart: got %q", got)
	}
	_, other := start() // another process, in effect
	if err := closed(policy); err != nil {
		t.Error(err)
	}
	if err := closed(other); err != nil {
		t.Errorf("a process that learned nothing: got %v", err)
	}
	d, other = start()
	d.warm("read", 1)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil { // as another process would
		t.Fatal(err)
	}
	if err := closed(other); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a file that another process wrote: got %v", err)
	}
	if err := os.WriteFile(file, []byte(`{"toolscope_baseline":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := baseline.New(baseline.Options{File: file}); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a file of another version: got %v", err)
	}
}

// closed closes a policy.
func closed(p middleware.Policy) error { return p.(interface{ Close() error }).Close() }

func TestAReloadKeepsWhatWasLearned(t *testing.T) {
	d := newTraffic(t, baseline.Options{Warmup: 20})
	d.warm("read", 20)
	next := newTraffic(t, baseline.Options{Warmup: 20, Factor: 5})
	next.policy.(interface{ Inherit(middleware.Policy) }).Inherit(d.policy)
	if got := next.make(made{tool: "send"}); !slices.Contains(got, "baseline.first_use") {
		t.Errorf("got %q, want the first use of a tool", got)
	}
}

// TestNothingGrowsWithoutABound: names of agents, tools and targets that never end.
func TestNothingGrowsWithoutABound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	d := newTraffic(t, baseline.Options{Warmup: 1, Agents: 2, File: file})
	for i := range 6000 {
		d.session.Agent = fmt.Sprint(i / 2000)
		d.make(made{tool: fmt.Sprint("tool", i%100), target: fmt.Sprintf("https://h%d.example/", i)})
	}
	for i := range 1000 {
		d.make(made{tool: "one", target: fmt.Sprintf("https://h%d.example/", i)})
	}
	figures := map[string]float64{}
	d.policy.(middleware.Reporter).Figures(func(name string, value float64) { figures[name] = value })
	if figures["agents"] != 2 {
		t.Errorf("got %v agents, want 2", figures["agents"])
	}
	if err := closed(d.policy); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > 600<<10 {
		t.Errorf("got a file of %d bytes, %v", info.Size(), err)
	}
	if _, err := baseline.New(baseline.Options{File: file, Agents: 1}); err != nil {
		t.Errorf("its own file: got %v", err)
	}
}

// TestConcurrentCallsAreAllLearned: agents at the same time, while the file is written and figures are read.
func TestConcurrentCallsAreAllLearned(t *testing.T) {
	file := filepath.Join(t.TempDir(), "baseline.json")
	policy, err := baseline.New(baseline.Options{File: file, Warmup: 1000})
	if err != nil {
		t.Fatal(err)
	}
	h := policy.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "x"}, nil })
	var wg sync.WaitGroup
	for g := range 8 {
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Agent: fmt.Sprint(g % 2)})
		wg.Go(func() {
			for i := range 250 {
				if _, err := h(ctx, toolkit.Call{Name: "read", Arguments: []byte(`{"p":"/a/b"}`)}); err != nil {
					t.Error(err)
				}
				if i%50 == 0 {
					if err := closed(policy); err != nil {
						t.Error(err)
					}
					policy.(middleware.Reporter).Figures(func(string, float64) {})
				}
			}
		})
	}
	wg.Wait()
	if err := closed(policy); err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	policy.(middleware.Reporter).Figures(func(name string, value float64) { figures[name] = value })
	if figures["agents"] != 2 || figures["learning"] != 0 || figures["save_errors"] != 0 {
		t.Errorf("got %v, want two agents with 1,000 calls each", figures)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]baseline.Options{
		"Options.Ask[0]":  {Ask: []baseline.Signal{baseline.Size}, Approver: true},
		"Options.Ask":     {Ask: []baseline.Signal{baseline.Hour}},
		"Options.Factor":  {Factor: 1},
		"Options.Window":  {Window: time.Millisecond},
		"Options.Agents":  {Agents: 1001},
		"Options.Warmup":  {Warmup: -1},
		"Options.Targets": {Targets: map[string][]string{"x": nil}},
		"Options.File":    {File: filepath.Join(t.TempDir(), "no", "such", "file")},
	} {
		if _, err := baseline.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %s", err, want)
		}
	}
}
