// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package weather

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/toolscope/toolscope/tools/internal/arg"
	"github.com/toolscope/toolscope/tools/internal/service"
)

// The defaults of [Options].
const (
	defaultGeocodingURL = "https://geocoding-api.open-meteo.com/v1/search"
	defaultForecastURL  = "https://api.open-meteo.com/v1/forecast"
	defaultTimeout      = 15 * time.Second
)

// maxAnswer is how many bytes a server may answer.
const maxAnswer = 1 << 20

// Options say where the weather comes from. The zero value works. Proxies of the
// environment are not used.
type Options struct {
	// GeocodingURL finds places by name, and ForecastURL tells their weather; "" is
	// Open-Meteo's.
	GeocodingURL, ForecastURL string
	// APIKey is sent to both as the parameter apikey, as Open-Meteo's paid service
	// wants it; "" sends none.
	APIKey string
	// Timeout is the longest one call may take; 0 is 15 seconds.
	Timeout time.Duration
}

// A Toolset is the tools. It is safe for concurrent use.
type Toolset struct {
	geocoding, forecast *url.URL
	timeout             time.Duration
	client              *http.Client
	// sign adds the key. Only this closure knows it, so that no way of printing a
	// Toolset shows it.
	sign func(url.Values)
}

// New makes the tools. It checks the options and does not connect.
func New(o Options) (*Toolset, error) {
	if o.Timeout < 0 {
		return nil, fmt.Errorf("weather: Options.Timeout: got %v, want a duration above 0, or 0 for %v", o.Timeout,
			defaultTimeout)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	geocoding, err := endpoint("GeocodingURL", o.GeocodingURL, defaultGeocodingURL)
	if err != nil {
		return nil, err
	}
	forecast, err := endpoint("ForecastURL", o.ForecastURL, defaultForecastURL)
	if err != nil {
		return nil, err
	}
	return &Toolset{
		geocoding: geocoding,
		forecast:  forecast,
		timeout:   o.Timeout,
		client: &http.Client{
			Transport: &http.Transport{ForceAttemptHTTP2: true, IdleConnTimeout: 30 * time.Second,
				MaxResponseHeaderBytes: 64 << 10},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		sign: func(v url.Values) {
			if o.APIKey != "" {
				v.Set("apikey", o.APIKey)
			}
		},
	}, nil
}

func endpoint(field, text, standard string) (*url.URL, error) {
	text = cmp.Or(text, standard)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, fmt.Errorf("weather: Options.%s: got text of another form, want an http or https URL without "+
			"user and query", field)
	}
	return u, nil
}

// Close closes idle connections. The tools still work afterwards.
func (t *Toolset) Close() { t.client.CloseIdleConnections() }

// get asks a server and decodes its answer. Errors tell neither its address nor what it
// wrote.
func (t *Toolset) get(ctx context.Context, at *url.URL, values url.Values, into any) error {
	asked := *at
	t.sign(values)
	asked.RawQuery = values.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.String(), nil)
	if err != nil {
		return arg.Failed("the weather service cannot be asked")
	}
	body, err := service.Ask(t.client, req, "the weather service", maxAnswer)
	if err == nil && json.Unmarshal(body, into) != nil {
		err = service.Malformed("the weather service")
	}
	return err
}

// oneLine makes a server's text fit into a line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
