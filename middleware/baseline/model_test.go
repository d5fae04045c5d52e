// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEstimatorsAreTheirDefinitions compares the estimators with ones that keep everything.
func TestEstimatorsAreTheirDefinitions(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p peak
		var all []uint64
		var k known[int]
		uses, order, removed := map[uint64]int{}, []uint64{}, 0
		most := 1 + r.IntN(20)
		for i := range 3000 {
			epoch := all[max(0, len(all)/sizeEpoch-1)*sizeEpoch:]
			want := uint64(minSize)
			if len(epoch) > 0 {
				want = max(want, 3*slices.Max(epoch))
			}
			if got := p.limit(3, minSize); got != want {
				t.Fatalf("seed %d, value %d: got the limit %d, want %d", seed, i, got, want)
			}
			value := uint64(r.IntN(100_000))
			p.learn(value, want, sizeEpoch)
			all = append(all, min(value, want))

			id := uint64(r.IntN(2 * most))
			if got := k.find(id) != nil; got != slices.Contains(order, id) {
				t.Fatalf("seed %d, use %d: got known %v", seed, i, got)
			}
			k.learn(id, most)
			order = slices.Insert(slices.DeleteFunc(order, func(o uint64) bool { return o == id }), 0, id)
			uses[id]++
			if len(order) > most {
				if uses[order[most]] == 1 {
					removed++
				}
				delete(uses, order[most])
				order = order[:most]
			}
			once := removed
			for _, n := range uses {
				if n == 1 {
					once++
				}
			}
			if k.Seen != uint64(i+1) || k.Once != uint64(once) || len(k.List) != len(order) {
				t.Fatalf("seed %d, use %d: got %d seen, %d once, %d kept, want %d, %d, %d", seed, i, k.Seen, k.Once, len(k.List),
					i+1, once, len(order))
			}
		}
	}
}

func TestHoursForget(t *testing.T) {
	var h hours
	for day := range int64(7) {
		h.advance(100 + day)
		h.learn(100+day, 9)
		if got, want := h.unusual(15), day >= 6; got != want {
			t.Errorf("after %d days: got %v, want %v", day+1, got, want)
		}
	}
	for hour, want := range map[int]bool{7: true, 8: false, 9: false, 10: false, 11: true, 23: true, 0: true} {
		if got := h.unusual(hour); got != want {
			t.Errorf("%d o'clock: got %v, want %v", hour, got, want)
		}
	}
	h.advance(90) // a clock that was set back
	h.learn(90, 12)
	if h.Day != 106 || h.Active[12] != 1<<16 {
		t.Errorf("a day before: got %+v", h)
	}
	if h.advance(106 + 32); h.Active != [24]uint32{} {
		t.Errorf("32 days later: got %v, want everything forgotten", h.Active)
	}
}

func TestTargetsOfArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		``:     "",
		`null`: "",
		`{"url":"https://User:pw@Host.example:8443/a?b=c"}`:     "https://host.example:8443",
		`{"path":"/srv/a/../b/c.txt"}`:                          "/srv/b",
		`{"path":"src/main.go","to":["../../etc/passwd"]}`:      "/srv/src /etc",
		`{"dir":"/srv/b/"}`:                                     "/srv/b",
		`{"path":"C:\\Users\\ada\\x y.txt"}`:                    "C:/Users/ada",
		`{"to":"Ada@Example.org","text":"mail ada@b.c or a/b"}`: "@example.org",
		`{"text":"a/b c","file":"plain.txt","n":1e400}`:         "",
		`{"url":"file:///etc/passwd"}`:                          "/etc",
		`{"url":"https://%zz/"}`:                                "a URL that cannot be read",
		`{"a/b":"c"`:                                            "arguments that are no JSON",
	} {
		if got := strings.Join(targets([]byte(arguments), nil, "/srv"), " "); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
	named := targets([]byte(`{"To":"ada","other":"eve","to":["bo",7],"cc":"x"}`), []string{"to"}, "")
	if got := strings.Join(named, " "); got != "ada bo 7" {
		t.Errorf("a named argument: got %q", got)
	}
	var many []string
	for i := range 30 {
		many = append(many, "/dir"+strings.Repeat("x", i)+"/f")
	}
	text, _ := json.Marshal(many)
	if got := targets(text, nil, ""); len(got) != 17 || got[16] != "more than 16 targets" {
		t.Errorf("30 targets: got %q", got)
	}
}

// FuzzTargets: no arguments panic, and what is found is bounded.
func FuzzTargets(f *testing.F) {
	f.Add([]byte(`{"a":["/b/c",{"d":"https://e/"}],"f":1}`), "a")
	f.Add([]byte(`]}`), "")
	f.Fuzz(func(t *testing.T, arguments []byte, name string) {
		for _, names := range [][]string{nil, {name}} {
			if got := targets(arguments, names, "/srv"); len(got) > maxCallTargets+1 {
				t.Errorf("got %d targets", len(got))
			}
		}
	})
}

// FuzzFile: a file is either refused, or within all bounds, and then written as it was read.
func FuzzFile(f *testing.F) {
	m, err := load("", 2)
	if err != nil {
		f.Fatal(err)
	}
	o := &Options{Warmup: 2, Factor: 3, Window: time.Minute, Agents: 2}
	a := m.agent(7, 2, time.Unix(1e9, 0))
	for i := range 5 {
		v := &visit{agent: a, tool: uint64(i % 2), day: int64(i), targets: []target{{uint64(i), "x"}}}
		a.arrive(v, o, time.Unix(1e9, 0))
		a.learn(v, o, 10, true)
	}
	text, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"toolscope_baseline":1,"key":"AAAAAAAAAAAAAAAAAAAAAA==","agents":[{"tools":{"list":[{"id":1,"uses":0}]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := &model{key: make([]byte, 16), agents: map[uint64]*agent{}}
		if m.decode(text, 2) != nil {
			return
		}
		if len(m.agents) > 2 {
			t.Fatalf("got %d agents", len(m.agents))
		}
		now := time.Unix(1.8e9, 0)
		for _, a := range m.agents {
			for id := range uint64(maxTools + 2) {
				v := &visit{agent: a, tool: id, day: now.Unix() / 86400, targets: []target{{id, "x"}}}
				a.arrive(v, o, now)
				a.learn(v, o, 1<<40, true)
			}
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		other := &model{key: make([]byte, 16), agents: map[uint64]*agent{}}
		if err := other.decode(again, 2); err != nil {
			t.Errorf("%s: what was written is refused: %v", again, err)
		}
	})
}
