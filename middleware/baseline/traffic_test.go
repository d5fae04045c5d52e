// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/baseline"
	"github.com/toolscope/toolscope/toolkit"
)

// A profile is how a made-up agent works when nothing changes: a few to many tools, each used more or less often, at
// hours that are its own, in bursts, with results and targets that have a distribution for each tool.
type profile struct {
	r       *rand.Rand
	tools   []steadyTool
	weights []float64 // of the tools, cumulated
	from    float64   // the hours of a day, UTC
	to      float64
	burst   float64 // mean number of calls in ten minutes with calls
	perDay  int     // such ten minutes a day
}

type steadyTool struct {
	name      string
	mean, dev float64 // of the logarithm of results' bytes
	heavy     bool    // a tail without a mean (Pareto, α = 1) instead
	targets   int     // hosts or directories; 0 for none
	skew      float64
	growing   float64 // share of calls with a target never used before
	made      int
}

func newProfile(seed uint64) *profile {
	r := rand.New(rand.NewPCG(seed, 31))
	p := &profile{r: r, from: 24 * r.Float64(), burst: 2 + 40*r.Float64()*r.Float64(), perDay: 3 + r.IntN(30)}
	p.to = p.from + 4 + 20*r.Float64()
	sum, skew := 0.0, 1.3*r.Float64()
	for i := range 2 + int(40*r.Float64()*r.Float64()) {
		t := steadyTool{name: "tool_" + strconv.Itoa(i), mean: 4 + 6*r.Float64(), dev: 1.5 * r.Float64(), heavy: r.IntN(8) == 0}
		if r.IntN(3) > 0 {
			t.targets, t.skew = 1+int(60*r.Float64()*r.Float64()), 1.5*r.Float64()
		}
		switch r.IntN(6) {
		case 0:
			t.growing = 1 // each call has its own
		case 1:
			t.growing = r.Float64() / 50
		}
		p.tools = append(p.tools, t)
		sum += math.Pow(float64(i+1), -skew)
		p.weights = append(p.weights, sum)
	}
	return p
}

// poisson is a number of events with that mean.
func poisson(r *rand.Rand, mean float64) int {
	n, limit := 0, math.Exp(-min(mean, 500))
	for u := r.Float64(); u > limit; u *= r.Float64() {
		n++
	}
	return n
}

// A made is one call of the traffic.
type made struct {
	tool, target string
	size         int
}

func (p *profile) call() made {
	i, _ := slices.BinarySearch(p.weights, p.r.Float64()*p.weights[len(p.weights)-1])
	return p.callOf(&p.tools[min(i, len(p.tools)-1)])
}

func (p *profile) callOf(t *steadyTool) made {
	m := made{tool: t.name, size: int(math.Exp(t.mean + t.dev*p.r.NormFloat64()))}
	if t.heavy {
		m.size = int(math.Exp(t.mean) / (1 - p.r.Float64()))
	}
	m.size = min(m.size, len(output))
	switch {
	case p.r.Float64() < t.growing:
		t.made++
		m.target = "https://new" + strconv.Itoa(t.made) + ".example/page"
	case t.targets > 0: // the i-th with a weight of about i to the power of -skew
		n := float64(t.targets)
		m.target = "/srv/data" + strconv.Itoa(int(n*math.Pow(p.r.Float64(), 1+t.skew))) + "/file.txt"
	}
	return m
}

// output is the longest result.
var output = strings.Repeat("x", 16<<20)

// traffic runs an agent under the policy, on a clock that only moves between its calls.
type traffic struct {
	t       *testing.T
	policy  middleware.Policy
	handle  toolkit.Handler
	session toolkit.Session
	size    int
	calls   int
	signals map[string]int // by the tag's key
	last    []string       // the tags of the last call
}

func newTraffic(t *testing.T, o baseline.Options) *traffic {
	policy, err := baseline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	d := &traffic{t: t, policy: policy, session: toolkit.Session{ID: "s", Agent: "a"}, signals: map[string]int{}}
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: output[:d.size]}, nil
	}
	lookup := func(name string) *toolkit.Definition { return &toolkit.Definition{Name: name} }
	d.handle = toolkit.Observe(lookup, d)(policy.Wrap(tool))
	return d
}

func (d *traffic) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (d *traffic) Wants(context.Context) bool { return false }
func (d *traffic) End(_ context.Context, e *toolkit.Ended) {
	d.last = d.last[:0]
	for _, tag := range e.Disposition.Tags {
		d.signals[tag.Key]++
		d.last = append(d.last, tag.Key)
	}
}

// make makes a call, and returns the tags that it has.
func (d *traffic) make(m made) []string {
	d.size = m.size
	d.calls++
	arguments := `{"n":1,"target":"` + m.target + `"}`
	ctx := toolkit.WithSession(d.t.Context(), d.session)
	if _, err := d.handle(ctx, toolkit.Call{Name: m.tool, Arguments: []byte(arguments)}); err != nil {
		d.t.Fatal(err)
	}
	return d.last
}

// days runs the agent until it has made that many calls.
func (d *traffic) days(p *profile, calls int) {
	for day := time.Now().Truncate(24 * time.Hour); d.calls < calls; day = day.Add(24 * time.Hour) {
		var starts []float64
		for range p.perDay {
			starts = append(starts, p.from+(p.to-p.from)*p.r.Float64())
		}
		slices.Sort(starts)
		for _, hour := range starts {
			at := day.Add(time.Duration(hour * float64(time.Hour)))
			time.Sleep(time.Until(at)) // on the clock of the test
			for range 1 + poisson(p.r, p.burst-1) {
				d.make(p.call())
				time.Sleep(time.Second) // on the clock of the test
			}
		}
	}
}

// A change is what can be wrong with an agent, and the signal that has to notice it.
type change struct {
	signal baseline.Signal
	fits   func(p *profile, d *traffic) bool // whether the agent has been seen enough, and does not work like that anyway
	make   func(p *profile, d *traffic) (noticed bool)
}

var changes = []change{
	{baseline.FirstUse, func(p *profile, _ *traffic) bool { return true }, func(_ *profile, d *traffic) bool {
		return slices.Contains(d.make(made{tool: "never_used", size: 10}), "baseline.first_use")
	}},
	{baseline.Volume, func(*profile, *traffic) bool { return true }, func(p *profile, d *traffic) bool {
		for range 20 * int(p.burst+5) {
			if slices.Contains(d.make(p.call()), "baseline.volume") {
				return true
			}
		}
		return false
	}},
	{baseline.Hour, func(p *profile, _ *traffic) bool { return p.to-p.from < 18 }, func(p *profile, d *traffic) bool {
		now := time.Now()
		at := now.Truncate(24 * time.Hour).Add(time.Duration((p.to + (24-p.to+p.from)/2) * float64(time.Hour)))
		for at.Before(now) {
			at = at.Add(24 * time.Hour)
		}
		time.Sleep(time.Until(at)) // on the clock of the test
		return slices.Contains(d.make(p.call()), "baseline.hour")
	}},
	{baseline.Target, func(p *profile, _ *traffic) bool { return p.tools[0].growing == 0 && p.tools[0].targets > 0 },
		func(p *profile, d *traffic) bool {
			m := made{tool: p.tools[0].name, size: 10, target: "https://elsewhere.example/"}
			return slices.Contains(d.make(m), "baseline.target")
		}},
	{baseline.Size, func(p *profile, _ *traffic) bool { return !p.tools[0].heavy }, func(p *profile, d *traffic) bool {
		t := &p.tools[0]
		m := p.callOf(t)
		m.size = int(8*math.Exp(t.mean+3.5*t.dev)) + 32<<10 // 8 times what one of 4,000 results has
		return slices.Contains(d.make(m), "baseline.size")
	}},
}

// TestFalseAlarmsAndDetection runs made-up agents that the formulas were not fitted to: first without a change, then with
// one change at a time. TOOLSCOPE_BASELINE="SEED AGENTS CALLS" takes others (make baseline).
func TestFalseAlarmsAndDetection(t *testing.T) {
	seed, agents, calls := uint64(1000), 15, 3000
	if v := strings.Fields(os.Getenv("TOOLSCOPE_BASELINE")); len(v) == 3 {
		n, err := strconv.ParseUint(v[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n * 1_000_000
		agents, _ = strconv.Atoi(v[1])
		calls, _ = strconv.Atoi(v[2])
	}
	var rates []float64
	sums := map[string]int{}
	tried, noticed := map[baseline.Signal]int{}, map[baseline.Signal]int{}
	total := 0
	for i := range agents {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Hour) // on the clock of the test: the clock starts at midnight
			p := newProfile(seed + uint64(i))
			d := newTraffic(t, baseline.Options{})
			d.days(p, calls)
			alarms := 0
			for key, n := range d.signals {
				alarms += n
				sums[key] += n
			}
			total += d.calls
			rates = append(rates, 1000*float64(alarms)/float64(d.calls))
			for _, c := range changes {
				if c.fits(p, d) {
					tried[c.signal]++
					if c.make(p, d) {
						noticed[c.signal]++
					}
				}
				time.Sleep(30 * time.Minute) // on the clock of the test: a new window
			}
		})
	}
	slices.Sort(rates)
	median := rates[len(rates)/2]
	t.Logf("%d agents, %d calls: alarms per 1,000 calls: median %.2f, 90th percentile %.2f, largest %.2f; by signal %v",
		agents, total, median, rates[len(rates)*9/10], rates[len(rates)-1], sums)
	if median > 1 {
		t.Errorf("got a median of %.2f alarms per 1,000 calls of steady traffic, want at most 1", median)
	}
	for _, c := range changes {
		t.Logf("%s: %d of %d changes noticed", c.signal, noticed[c.signal], tried[c.signal])
		if tried[c.signal] == 0 || 10*noticed[c.signal] < 8*tried[c.signal] {
			t.Errorf("%s: noticed %d of %d changes, want at least 80 %%", c.signal, noticed[c.signal], tried[c.signal])
		}
	}
}
