// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// careless is an observer that panics.
type careless struct{}

func (careless) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (careless) Wants(context.Context) bool          { return false }
func (careless) End(context.Context, *toolkit.Ended) { panic("an application's observer") }

// TestSelf: what goes wrong inside shows in the metrics, at /healthz, and nowhere else.
func TestSelf(t *testing.T) {
	redactor, err := redact.New(redact.Options{Limits: redact.Limits{Nesting: 4}})
	if err != nil {
		t.Fatal(err)
	}
	reader := sdkmetric.NewManualReader()
	providers, err := exporters.Setup(t.Context(), exporters.Options{MetricReaders: []sdkmetric.Reader{reader}})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Redactor:       redactor,
		Observers:      []toolkit.Observer{careless{}},
		Stats:          stats.Options{MaxRecent: 2},
		HTTP:           statshttp.Options{Health: []stats.HealthSource{providers}},
	})
	if err != nil {
		t.Fatal(err)
	}
	deep := json.RawMessage(strings.Repeat(`{"in":`, 20) + `{"password":"hunter seven"}` + strings.Repeat("}", 20))
	execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "fine"}, nil
	}, nil)
	for range 3 {
		if got, err := execute(t.Context(), toolkit.Call{Name: "deep", Arguments: deep}); err != nil || got.Output != "fine" {
			t.Fatalf("got %+v, %v: want the agent to get its answer", got, err)
		}
	}

	if err := scope.Apply(toolscope.Settings{NoContent: true}); err != nil {
		t.Fatal(err)
	}

	sums := make(map[string]int64)
	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &metrics); err != nil {
		t.Fatal(err)
	}
	for _, s := range metrics.ScopeMetrics {
		for _, m := range s.Metrics {
			if d, ok := m.Data.(metricdata.Sum[int64]); ok {
				for _, p := range d.DataPoints {
					sums[m.Name] += p.Value
				}
			}
		}
	}
	if sums["toolscope.self.redaction.withheld"] != 3 || sums["toolscope.self.observer.panics"] < 3 {
		t.Errorf("got %v, want 3 values withheld and 3 panics", sums)
	}
	if sums["toolscope.self.settings.applied"] != 1 {
		t.Errorf("got %d changes of settings, want 1", sums["toolscope.self.settings.applied"])
	}
	server := httptest.NewServer(scope.HTTPHandler())
	defer server.Close()
	answer, err := http.Get(server.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct {
		Status     string
		Components []stats.Component
	}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]stats.Component)
	for _, c := range got.Components {
		found[c.Name] = c
	}
	if got.Status != "degraded" || len(found["observers"].Problems) != 1 || found["redaction"].Figures[0].Value != 3 ||
		found["ring"].Figures == nil {
		t.Errorf("got %+v", got)
	}
	if err := scope.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	metrics = metricdata.ResourceMetrics{}
	if err := reader.Collect(t.Context(), &metrics); err != nil {
		t.Fatal(err)
	}
	for _, s := range metrics.ScopeMetrics {
		if s.Scope.Name == "github.com/toolscope/toolscope" && len(s.Metrics) > 0 {
			t.Errorf("got %d metrics of the scope after its shutdown", len(s.Metrics))
		}
	}
	if err := providers.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// closedBy is a policy whose Close does what the test says.
type closedBy struct {
	middleware.Policy
	close func() error
}

func (c closedBy) Close() error { return c.close() }

// TestShutdownOfHostilePolicies: one that blocks or panics when it is closed keeps neither the
// host nor the other policies.
func TestShutdownOfHostilePolicies(t *testing.T) {
	pass := middleware.At(middleware.StageLimit, func(next toolkit.Handler) toolkit.Handler { return next })
	free := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	scope, err := toolscope.New(toolscope.Options{
		Policies: []middleware.Policy{closedBy{pass, func() error { panic("an application's policy") }},
			closedBy{pass, func() error { return errors.New("a broken file") }},
			closedBy{pass, func() error { cancel(); <-free; return nil }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := scope.Apply(scope.Settings()); err != nil {
		t.Errorf("policies that cannot be compared: got %v, want them to stay", err)
	}
	err = scope.Shutdown(ctx)
	for _, want := range []string{"closing the policy toolscope_test.closedBy panicked", "a broken file",
		"closedBy: context canceled"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if again := scope.Shutdown(t.Context()); again != err {
		t.Errorf("got %v the second time, want the same", again)
	}
	close(free)
}
