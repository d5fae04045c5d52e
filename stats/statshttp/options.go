// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
)

// Options are what [NewHandler] makes a handler of. In each field the zero value is the
// default. NewHandler copies slices.
type Options struct {
	// BearerToken is what every request, loopback or not, has to give: as
	// `Authorization: Bearer TOKEN`, or as the password of basic authentication under any user
	// name, which is what browsers can do. It is at least 16 bytes without blanks; make it of
	// random ones, and use TLS where it travels. "" asks for none: then the handler answers only
	// requests that arrive on a loopback address, unless Open says otherwise.
	BearerToken string
	// Open answers everyone who can reach the handler: for networks that are trusted and for
	// servers with their own access control in front. The check of the Host header stays: see
	// Hosts. With a BearerToken, the token is still asked for. With Open and a token from an
	// environment variable that is not set, everyone is answered: check the variable first.
	Open bool
	// Hosts are names that the Host header of a request may have, without port, in addition to
	// those of loopback and, with Open, the address that the request arrived on. This refuses a
	// page of another origin that rebinds its name to this server. Requests with the right bearer
	// token pass under any name: no foreign page has it. Nil adds none.
	Hosts []string
	// TraceURL is where links to traces lead: an http or https URL with "{trace_id}" in it, for
	// Jaeger "http://localhost:16686/trace/{trace_id}". "" is Jaeger's page on the host that spans
	// are sent to by $OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or else $OTEL_EXPORTER_OTLP_ENDPOINT, and
	// no link if neither is set.
	TraceURL string
	// NoTraceLinks turns links to traces off. TraceURL must then be "".
	NoTraceLinks bool
	// Metrics makes of the recorder what is served at /metrics, behind the same access control as
	// everything else. That of package statsprom, statsprom.NewHandler, is for Prometheus. If what it makes has a method
	// AddHealth(stats.HealthSource), as with statsprom.WithHealth, it gets a source of all that /healthz reports. Nil
	// serves no metrics, so that a binary without them needs no client of Prometheus.
	Metrics func(*stats.Recorder) (http.Handler, error)
	// Traces is where the dashboard finds the spans of a trace for its waterfall: the in-process
	// ring of package exporters is one. Nil finds none.
	Traces stats.TraceSource
	// Running serves the calls that run at the moment at /api/v1/running, for `toolscope top`.
	// Nil reports only how many there are of each tool.
	Running *stats.Running
	// Workflows serves workflows and their last runs at /api/v1/workflows and as a view of the dashboard. Nil serves none.
	Workflows stats.WorkflowSource
	// Title is what the dashboard calls itself, for people who run several: at most 80 bytes. ""
	// is "toolscope".
	Title string
	// Links are links in the dashboard's head. Nil adds none.
	Links []Link
	// Refresh is how often a live client is sent what is new, 100 ms to a minute. 0 is 2 s.
	Refresh time.Duration
	// Health is shown at /healthz, in the summary and at the foot of the dashboard, in addition to
	// the statistics. Nil sources are ignored.
	Health []stats.HealthSource
}

// A Link leads from the dashboard to a page that your application serves next to it.
type Link struct {
	Name string // 1 to 40 bytes
	Href string // an address relative to the dashboard's own, without a leading slash
}

// minToken is the shortest bearer token taken, in bytes.
const minToken = 16

// Validate returns the error that [NewHandler] would return for the options, without making a
// handler. It does not call Metrics.
func (o Options) Validate() error {
	_, err := o.complete()
	return err
}

// complete returns the options with their defaults, and with copies of slices.
func (o Options) complete() (Options, error) {
	if t := o.BearerToken; t != "" && (len(t) < minToken || strings.ContainsAny(t, " \t\r\n")) {
		return o, fmt.Errorf("statshttp: Options.BearerToken: got %d bytes, want at least %d without blanks", len(t), minToken)
	}
	o.Hosts = slices.Clone(o.Hosts)
	for i, h := range o.Hosts {
		if h == "" || strings.ContainsAny(h, "/:* ") && net.ParseIP(h) == nil {
			return o, fmt.Errorf("statshttp: Options.Hosts: got %.80q, want a host name or an IP address without port", h)
		}
		o.Hosts[i] = strings.ToLower(h)
	}
	switch {
	case o.TraceURL == "" && !o.NoTraceLinks:
		o.TraceURL = jaegerTemplate(os.Getenv)
	case o.TraceURL != "" && o.NoTraceLinks:
		return o, fmt.Errorf("statshttp: Options.TraceURL: got %.200q with NoTraceLinks, want one of the two", o.TraceURL)
	case o.TraceURL != "" && !isTraceTemplate(o.TraceURL):
		return o, fmt.Errorf("statshttp: Options.TraceURL: got %.200q, want an http or https URL that contains %s",
			o.TraceURL, api.TraceMark)
	}
	if o.Title = cmp.Or(o.Title, "toolscope"); len(o.Title) > 80 {
		return o, fmt.Errorf("statshttp: Options.Title: got %d bytes, want at most 80", len(o.Title))
	}
	o.Links = slices.Clone(o.Links)
	for i, l := range o.Links {
		if err := l.check(); err != nil {
			return o, fmt.Errorf("statshttp: Options.Links[%d]: %w", i, err)
		}
	}
	if o.Refresh = cmp.Or(o.Refresh, 2*time.Second); o.Refresh < 100*time.Millisecond || o.Refresh > time.Minute {
		return o, fmt.Errorf("statshttp: Options.Refresh: got %v, want 100ms to 1m", o.Refresh)
	}
	o.Health = slices.DeleteFunc(slices.Clone(o.Health), func(s stats.HealthSource) bool { return s == nil })
	return o, nil
}

func isTraceTemplate(template string) bool {
	u, err := url.Parse(strings.ReplaceAll(template, api.TraceMark, "0"))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		strings.Contains(template, api.TraceMark)
}

func (l Link) check() error {
	u, err := url.Parse(l.Href)
	if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return fmt.Errorf("got the address %.80q, want a relative one without a leading slash", l.Href)
	}
	if l.Name == "" || len(l.Name) > 40 {
		return fmt.Errorf("got a name of %d bytes, want 1 to 40", len(l.Name))
	}
	return nil
}

// jaegerTemplate is the template of links for spans that go where the environment
// says; "" if it does not.
func jaegerTemplate(getenv func(string) string) string {
	endpoint := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if endpoint == "" {
		return ""
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "http://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return "http://" + net.JoinHostPort(u.Hostname(), "16686") + "/trace/" + api.TraceMark
}
