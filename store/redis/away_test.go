// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package redis_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/store/redis"
	"github.com/toolscope/toolscope/toolkit"
)

// policiesOfCalls is how many policies of a call ask the store: loop, duplicates, cache and rates.
const policiesOfCalls = 4

// governed is a tool with the policies that share their state.
type governed struct {
	handle   toolkit.Handler
	policies []middleware.Policy
}

var reading = &toolkit.Definition{Name: "look_up", ReadOnly: toolkit.Yes}

// govern wraps a tool that answers with its arguments.
func govern(t testing.TB, store *redis.Store, when limit.WhenAway, withBudget bool) *governed {
	t.Helper()
	g := new(governed)
	add := func(p middleware.Policy, err error) {
		if err != nil {
			t.Fatal(err)
		}
		g.policies = append(g.policies, p)
	}
	add(loop.New(loop.Options{Histories: store.Histories()}))
	add(dedupe.New(dedupe.Options{Flights: store.Flights(), History: time.Minute}))
	c, err := cache.New(cache.Options{Store: store.Cache()})
	add(c, err)
	if withBudget {
		add(budget.New(budget.Options{Session: budget.Limits{Calls: 1000}, Ledger: store.Ledger()}))
	}
	add(limit.New(limit.Options{Rate: limit.Rate{
		Global: toolkit.RateLimit{MaxCalls: 1000, Window: time.Minute}, Store: store.Rates(), WhenAway: when,
	}}))
	g.handle = toolkit.Observe(func(string) *toolkit.Definition { return reading },
		noSpans{})(middleware.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "answer to " + string(call.Arguments)}, nil
	}, g.policies...))
	return g
}

// call makes a call that no other is like, and returns its error.type and how long it took.
func (g *governed) call(t testing.TB, n int) (kind string, took time.Duration) {
	t.Helper()
	ctx := toolkit.WithSession(context.Background(), toolkit.Session{Tenant: "acme", ID: "session-one"})
	arguments := fmt.Sprintf(`{"question":%d}`, n)
	began := time.Now()
	res, err := g.handle(ctx, toolkit.Call{ID: fmt.Sprint(n), Name: "look_up", Arguments: []byte(arguments)})
	took = time.Since(began)
	if err != nil {
		return toolkit.TypeOf(err), took
	}
	if want := "answer to " + arguments; res.Output != want {
		t.Errorf("got %q, want %q", res.Output, want)
	}
	return "", took
}

// problems are those that the policies report.
func (g *governed) problems() (all []string) {
	for _, p := range g.policies {
		if r, ok := p.(interface{ Problems() []string }); ok {
			all = append(all, r.Problems()...)
		}
	}
	return all
}

// slack is what a busy machine adds to a wait.
const slack = 400 * time.Millisecond

// TestServersThatAreAway breaks the server in each way, makes calls, and mends it.
func TestServersThatAreAway(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		change func(*redis.Options)
		break_ func(*testing.T, *server)
		mend   func(*testing.T, *server)
		cause  string
		waits  bool // until the circuit opens, a question takes as long as it may
		proxy  bool // between the store and the server
	}{
		{name: "stopped", cause: "no answer in time", waits: true,
			break_: func(t *testing.T, s *server) { s.signal(t, syscall.SIGSTOP) },
			mend:   func(t *testing.T, s *server) { s.signal(t, syscall.SIGCONT) }},
		{name: "killed, and started without its data", cause: "refused",
			break_: func(_ *testing.T, s *server) { s.kill() }, mend: func(t *testing.T, s *server) { s.start(t) }},
		{name: "slow", cause: "no answer in time", waits: true,
			break_: func(t *testing.T, s *server) {
				c := s.admin(t)
				go func() { // each question waits 200 ms or more, as the server runs one script after the other
					for range 5 {
						_ = c.Do(context.Background(), "DEBUG", "SLEEP", "0.5").Err()
					}
				}()
				time.Sleep(50 * time.Millisecond) // until the server sleeps; it cannot say so
			},
			mend: func(*testing.T, *server) {}, args: []string{"--enable-debug-command", "yes"}},
		{name: "slow for ever", cause: "no answer in time", waits: true, proxy: true,
			break_: func(_ *testing.T, s *server) { s.proxy.delay.Store(int64(200 * time.Millisecond)) },
			mend:   func(_ *testing.T, s *server) { s.proxy.delay.Store(0) }},
		{name: "memory full", cause: "memory is full", args: []string{"--maxmemory-policy", "noeviction"},
			break_: func(t *testing.T, s *server) { configure(t, s, "maxmemory", "1") },
			mend:   func(t *testing.T, s *server) { configure(t, s, "maxmemory", "0") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, c.args...)
			store := open(t, s, func(o *redis.Options) {
				o.Timeout = 100 * time.Millisecond
				if c.proxy {
					o.URL = "redis://" + s.startProxy(t)
				}
			})
			local, strict := govern(t, store, limit.GoLocal, false), govern(t, store, limit.Refuse, true)
			until(t, "all is well", func() bool { kind, _ := strict.call(t, 0); return kind == "" && len(strict.problems()) == 0 })
			c.break_(t, s)
			for i := range 8 {
				kind, took := local.call(t, 100+i)
				if kind != "" {
					t.Errorf("cache and rates: got %q, want the tool's answer", kind)
				}
				if most := policiesOfCalls*100*time.Millisecond + slack; took > most {
					t.Errorf("a call took %v, want at most %v: 100 ms for each policy", took, most)
				}
			}
			if kind, _ := strict.call(t, 200); kind != "overloaded" {
				t.Errorf("budget: got %q, want overloaded", kind)
			}
			if c.waits {
				began := time.Now()
				for i := range 50 {
					local.call(t, 300+i)
				}
				if took := time.Since(began); took > slack {
					t.Errorf("50 calls took %v, want them not to ask", took)
				}
			}
			if all := strings.Join(local.problems(), "; "); !strings.Contains(all, c.cause) || strings.Contains(all, "TLS") {
				t.Errorf("got the problems %q, want them to name %q", all, c.cause)
			}
			c.mend(t, s)
			n := 1000
			until(t, "the store is used again", func() bool { n++; kind, _ := strict.call(t, n); return kind == "" })
			until(t, "no problem is left", func() bool {
				n++
				local.call(t, n)
				return len(local.problems()) == 0 && len(store.Problems()) == 0
			})
		})
	}
}

func configure(t *testing.T, s *server, name, value string) {
	t.Helper()
	if err := s.admin(t).ConfigSet(context.Background(), name, value).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestServersThatCannotBeUsed opens stores on servers that do not fit: calls go on or are refused from the first one.
func TestServersThatCannotBeUsed(t *testing.T) {
	s := startServer(t, "--requirepass", "right")
	for _, c := range []struct {
		name, cause string
		change      func(*redis.Options)
	}{
		{"no password", "refuses the user or password", func(*redis.Options) {}},
		{"wrong password", "refuses the user or password", func(o *redis.Options) { o.Password = "wrong" }},
		{"TLS with a server that has none", "speak TLS", func(o *redis.Options) { o.URL = "rediss://" + s.addr }},
		{"no server", "refused", func(o *redis.Options) { o.URL = "redis://127.0.0.1:1" }},
	} {
		store := open(t, s, c.change) // each has an answer, or a refusal, so that no time limit is reached
		g := govern(t, store, limit.GoLocal, false)
		if kind, took := g.call(t, 1); kind != "" || took > slack {
			t.Errorf("%s: got %q after %v, want the tool's answer at once", c.name, kind, took)
		}
		if all := strings.Join(store.Problems(), "; "); !strings.Contains(all, c.cause) || strings.Contains(all, "wrong") {
			t.Errorf("%s: got the problems %q, want them to name %q", c.name, all, c.cause)
		}
		if kind, _ := govern(t, store, limit.GoLocal, true).call(t, 2); kind != "overloaded" {
			t.Errorf("%s: got %q, want the budget to refuse", c.name, kind)
		}
	}
	secure, authority := startTLSServer(t)
	another, err := x509.ParseCertificate(newAuthority(t).cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	wrong := x509.NewCertPool()
	wrong.AddCert(another)
	for name, c := range map[string]struct {
		url   string
		tls   *tls.Config
		cause string
	}{
		"right CA": {"rediss://" + secure.addr, &tls.Config{RootCAs: authority.pool}, ""},
		"wrong CA": {"rediss://" + secure.addr, &tls.Config{RootCAs: wrong}, "certificate"},
		"wrong name": {"rediss://" + secure.addr, &tls.Config{RootCAs: authority.pool, ServerName: "other"},
			"certificate"},
		"no TLS with a server of it": {"redis://" + secure.addr, nil, "rediss://"},
	} {
		store := open(t, secure, func(o *redis.Options) { o.URL, o.TLS = c.url, c.tls; o.Timeout = time.Second })
		if kind, _ := govern(t, store, limit.GoLocal, false).call(t, 1); kind != "" {
			t.Errorf("%s: got %q, want the tool's answer", name, kind)
		}
		if kind, _ := govern(t, store, limit.GoLocal, true).call(t, 2); (kind == "") != (c.cause == "") {
			t.Errorf("%s: budget: got %q", name, kind)
		}
		if all := strings.Join(store.Problems(), "; "); !strings.Contains(all, c.cause) || c.cause == "" && all != "" {
			t.Errorf("%s: got the problems %q, want them to name %q", name, all, c.cause)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	page := open(t, &server{addr: other.Listener.Addr().String()})
	if all := page.Problems(); len(all) != 1 || !strings.Contains(all[0], "is not a Redis server") {
		t.Errorf("a server of pages: got the problems %q, want them to say so", all)
	}
	evicting := startServer(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	if all := strings.Join(open(t, evicting).Problems(), "; "); !strings.Contains(all, "allkeys-lru, want noeviction") {
		t.Errorf("a server that evicts: got the problems %q, want them to say so", all)
	}
}

// TestEachPolicyWaitsOnce stops the server under each policy alone: a call waits for one question, and after five
// failures for none.
func TestEachPolicyWaitsOnce(t *testing.T) {
	always := func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "always", true }
	for _, c := range []struct {
		name, want string // error.type
		tag        string
		policy     func(*redis.Store) (middleware.Policy, error)
	}{
		{"loops", "", "loop.store", func(s *redis.Store) (middleware.Policy, error) {
			return loop.New(loop.Options{Histories: s.Histories()})
		}},
		{"duplicates", "", "dedupe.store", func(s *redis.Store) (middleware.Policy, error) {
			return dedupe.New(dedupe.Options{Flights: s.Flights(), History: time.Minute})
		}},
		{"cache", "", "cache", func(s *redis.Store) (middleware.Policy, error) {
			return cache.New(cache.Options{Store: s.Cache()})
		}},
		{"rates", "", "limit.store", func(s *redis.Store) (middleware.Policy, error) {
			return limit.New(limit.Options{Rate: limit.Rate{Store: s.Rates(),
				Global: toolkit.RateLimit{MaxCalls: 1000, Window: time.Minute}}})
		}},
		{"rates that refuse", "overloaded", "limit.store", func(s *redis.Store) (middleware.Policy, error) {
			return limit.New(limit.Options{Rate: limit.Rate{Store: s.Rates(), WhenAway: limit.Refuse,
				Global: toolkit.RateLimit{MaxCalls: 1000, Window: time.Minute}}})
		}},
		{"budgets", "overloaded", "budget.store", func(s *redis.Store) (middleware.Policy, error) {
			return budget.New(budget.Options{Session: budget.Limits{Calls: 1000}, Ledger: s.Ledger()})
		}},
		{"approvals", "approval_denied", "approval.store", func(s *redis.Store) (middleware.Policy, error) {
			return approve.New(approve.Options{Requests: s.Requests(), Askers: []approve.Asker{approve.External()}, Needed: always})
		}},
		{"deferred approvals", "approval_denied", "approval.store", func(s *redis.Store) (middleware.Policy, error) {
			return approve.New(approve.Options{Requests: s.Requests(), Askers: []approve.Asker{approve.External()}, Needed: always,
				Defer: true})
		}},
		{"breaker", "", "", func(s *redis.Store) (middleware.Policy, error) {
			return breaker.New(breaker.Options{Peers: s.Peers()})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			store := open(t, s, func(o *redis.Options) { o.Timeout = 100 * time.Millisecond })
			p, err := c.policy(store)
			if err != nil {
				t.Fatal(err)
			}
			tags := new(tagged)
			g := &governed{policies: []middleware.Policy{p}, handle: toolkit.Observe(
				func(string) *toolkit.Definition { return reading }, tags)(p.Wrap(
				func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
					return toolkit.Result{Output: "answer to " + string(call.Arguments)}, nil
				}))}
			s.signal(t, syscall.SIGSTOP)
			defer s.signal(t, syscall.SIGCONT)
			before, waits := 0.0, 0
			for i := range 7 {
				kind, took := g.call(t, 100+i)
				if kind != c.want {
					t.Errorf("got %q, want %q", kind, c.want)
				}
				if took >= 95*time.Millisecond { // a call that asks waits for 100 ms
					waits++
				}
				if took > 100*time.Millisecond+slack {
					t.Errorf("a call took %v, want at most 100 ms", took)
				}
				now := g.figure("store_errors")
				if now > before+1 && c.tag != "" {
					t.Errorf("got %v failures in a call, want one", now-before)
				}
				if c.tag != "" && (now == before || !tags.last[c.tag]) {
					t.Errorf("got no failure counted, or the tags %v, want %s", tags.last, c.tag)
				}
				before = now
			}
			if waits > 5 {
				t.Errorf("got %d calls that waited, want at most 5", waits)
			}
			if c.tag != "" && len(g.problems()) == 0 {
				t.Error("got no problems, want the cause")
			}
		})
	}
}

// tagged keeps which tags the last call had.
type tagged struct {
	noSpans
	last map[string]bool
}

func (s *tagged) End(_ context.Context, e *toolkit.Ended) {
	s.last = map[string]bool{}
	for _, tag := range e.Disposition.Tags {
		s.last[tag.Key] = true
	}
}

// figure is the sum of a figure of all policies.
func (g *governed) figure(name string) (sum float64) {
	for _, p := range g.policies {
		if r, ok := p.(middleware.Reporter); ok {
			r.Figures(func(n string, value float64) {
				if n == name {
					sum += value
				}
			})
		}
	}
	return sum
}

// TestContextsAreHonoured asks a stopped server with a deadline that ends before the store's own time.
func TestContextsAreHonoured(t *testing.T) {
	s := startServer(t)
	store := open(t, s, func(o *redis.Options) { o.Timeout = 10 * time.Second })
	s.signal(t, syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := store.Ledger().Reserve(ctx, "r", []budget.Account{{Name: "a", Idle: time.Hour}}, 0); err == nil {
		t.Error("got an answer of a stopped server")
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v, want about 20 ms", took)
	}
	if p := store.Problems(); len(p) != 0 {
		t.Errorf("got the problems %q, want none: the caller's time was over, not the store's", p)
	}
}

// TestHealthRecoversWithoutACall: after one failure the store, and its policy, are well again as soon as the server is.
func TestHealthRecoversWithoutACall(t *testing.T) {
	s, secrets := startServer(t, "--maxmemory-policy", "noeviction"), [][]byte{secret()}
	for cause, c := range map[string]struct {
		timeout    time.Duration
		fail, mend func()
	}{
		"no answer in time": {100 * time.Millisecond,
			func() { s.signal(t, syscall.SIGSTOP) }, func() { s.signal(t, syscall.SIGCONT) }},
		"memory is full": {5 * time.Second,
			func() { configure(t, s, "maxmemory", "1") }, func() { configure(t, s, "maxmemory", "0") }},
	} {
		store := open(t, s, func(o *redis.Options) { o.Timeout, o.Secrets = c.timeout, secrets })
		g := &governed{}
		p, err := budget.New(budget.Options{Session: budget.Limits{Calls: 1000}, Ledger: store.Ledger()})
		if err != nil {
			t.Fatal(err)
		}
		g.policies = append(g.policies, p)
		g.handle = p.Wrap(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "answer to " + string(call.Arguments)}, nil
		})
		until(t, "the policy is well", func() bool { // a busy machine may take 100 ms for an answer, too
			kind, _ := g.call(t, 1)
			return kind == "" && len(g.problems()) == 0
		})
		c.fail()
		if kind, _ := g.call(t, 2); kind != "overloaded" {
			t.Errorf("%s: got %q, want overloaded", cause, kind)
		}
		store.CheckNow()
		if all := strings.Join(g.problems(), "; "); !strings.Contains(all, cause) {
			t.Errorf("got the problems %q, want %q", all, cause)
		}
		c.mend()
		until(t, "the policy is well", func() bool { return len(g.problems()) == 0 && len(store.Problems()) == 0 })
	}
}
