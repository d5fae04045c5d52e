// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// A HandlerOption sets something of the handler that [NewHandler] makes. Nil
// options are passed over; where one is given twice the last wins, but for
// [WithHosts] and [WithHealth], which add up.
type HandlerOption func(*handlerConfig) error

type handlerConfig struct {
	token   string
	open    bool
	hosts   []string
	trace   string
	metrics func(*Recorder) (http.Handler, error)
	traces  TraceSource
	running *Running
	title   string
	links   []link
	refresh time.Duration
	streams int
	health  []HealthSource
}

func newHandlerConfig(options []HandlerOption) (*handlerConfig, error) {
	c := &handlerConfig{title: "toolscope", refresh: 2 * time.Second, streams: 32, trace: jaegerTemplate(os.Getenv)}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// minToken is the shortest bearer token taken, in bytes.
const minToken = 16

// WithBearerToken asks every request, loopback or not, for the token: as
// `Authorization: Bearer TOKEN`, or as the password of basic authentication under
// any user name, which is what browsers can do. The token is at least 16 bytes
// without blanks; make it of random ones, and use TLS where it travels. The default
// is no token, which leaves the handler to requests that arrive on a loopback
// address.
func WithBearerToken(token string) HandlerOption {
	return func(c *handlerConfig) error {
		if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
			return fmt.Errorf("stats: WithBearerToken: got %d bytes, want at least %d without blanks", len(token), minToken)
		}
		c.token = token
		return nil
	}
}

// WithOpenHTTP lets everyone in who can reach the handler: for networks that are
// trusted and for servers with a gate of their own in front. The check of the
// Host header stays: see [WithHosts]. The default is off.
func WithOpenHTTP() HandlerOption {
	return func(c *handlerConfig) error { c.open = true; return nil }
}

// WithHosts adds names that the Host header of a request may have, without port,
// beside those of loopback and, with [WithOpenHTTP], the address that the request
// arrived on. A page of another origin that rebinds its name to this server is
// refused by this. The default is none. Requests with the right bearer token pass
// under any name: no foreign page has it.
func WithHosts(hosts ...string) HandlerOption {
	return func(c *handlerConfig) error {
		for _, h := range hosts {
			if h == "" || strings.ContainsAny(h, "/:* ") && net.ParseIP(h) == nil {
				return fmt.Errorf("stats: WithHosts: got %.80q, want a host name or an IP address without port", h)
			}
			c.hosts = append(c.hosts, strings.ToLower(h))
		}
		return nil
	}
}

// traceMark stands for the trace id in the template of [WithTraceURL].
const traceMark = "{trace_id}"

// WithTraceURL sets where links to traces lead: an http or https URL with
// "{trace_id}" in it, for Jaeger "http://localhost:16686/trace/{trace_id}"; "" is no
// link. The default is Jaeger's page on the host that spans are sent to by
// $OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or else $OTEL_EXPORTER_OTLP_ENDPOINT; no link
// if neither is set.
func WithTraceURL(template string) HandlerOption {
	return func(c *handlerConfig) error {
		if template == "" {
			c.trace = ""
			return nil
		}
		u, err := url.Parse(strings.ReplaceAll(template, traceMark, "0"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.Contains(template, traceMark) {
			return fmt.Errorf("stats: WithTraceURL: got %.200q, want an http or https URL that contains %s", template, traceMark)
		}
		c.trace = template
		return nil
	}
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
	return "http://" + net.JoinHostPort(u.Hostname(), "16686") + "/trace/" + traceMark
}

// WithMetrics serves what metrics makes of the recorder at /metrics, behind the same
// gate as everything else. That of package statsprom is for Prometheus:
//
//	stats.WithMetrics(statsprom.NewHandler)
//
// The default, nil, is no metrics, so that who wants none has no client of
// Prometheus in the binary.
func WithMetrics(metrics func(*Recorder) (http.Handler, error)) HandlerOption {
	return func(c *handlerConfig) error { c.metrics = metrics; return nil }
}

// WithTraces sets where the dashboard finds the spans of a trace for its
// waterfall: the in-process ring of package exporters is one. The default, nil,
// is nowhere.
func WithTraces(s TraceSource) HandlerOption {
	return func(c *handlerConfig) error { c.traces = s; return nil }
}

// WithTitle sets what the dashboard calls itself, for people who run several. The
// default is "toolscope".
func WithTitle(title string) HandlerOption {
	return func(c *handlerConfig) error {
		if title == "" || len(title) > 80 {
			return fmt.Errorf("stats: WithTitle: got %d bytes, want 1 to 80", len(title))
		}
		c.title = title
		return nil
	}
}

// WithLink adds a link to the dashboard's head, to a page that the host serves beside it:
// a name of 1 to 40 bytes, and an address relative to the dashboard's own. The default has
// none.
func WithLink(name, href string) HandlerOption {
	return func(c *handlerConfig) error {
		u, err := url.Parse(href)
		if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
			return fmt.Errorf("stats: WithLink: got the address %.80q, want a relative one without a leading slash", href)
		}
		if name == "" || len(name) > 40 {
			return fmt.Errorf("stats: WithLink: got a name of %d bytes, want 1 to 40", len(name))
		}
		c.links = append(c.links, link{Name: name, Href: href})
		return nil
	}
}

// WithRefresh sets how often a live client is told of what is new. The default is
// 2 s, the least 100 ms, the most one minute.
func WithRefresh(d time.Duration) HandlerOption {
	return func(c *handlerConfig) error {
		if d < 100*time.Millisecond || d > time.Minute {
			return fmt.Errorf("stats: WithRefresh: got %v, want 100ms to 1m", d)
		}
		c.refresh = d
		return nil
	}
}

var errNoRecorder = errors.New("stats: NewHandler: got a nil *Recorder, want one that New made")

// traceURL is the link to a trace; "" if links lead nowhere or the id is none.
func (c *handlerConfig) traceURL(id string) string {
	if c.trace == "" || id == "" {
		return ""
	}
	return strings.ReplaceAll(c.trace, traceMark, url.PathEscape(id))
}
