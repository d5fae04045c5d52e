// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"io"
	"net"
	"net/http"
	"time"
)

// A site stands for the web while the session runs: a page, a search engine that
// answers like SearXNG, and a weather service that answers like Open-Meteo, on a loopback
// address.
type site struct {
	url    string
	server *http.Server
	done   chan struct{}
}

// The site's answers by path.
var pages = map[string]struct{ kind, text string }{
	"/fjords": {"text/html; charset=utf-8", `<!doctype html><title>Fjords</title><h1>Fjords of Norway</h1>
<p>The <b>Sognefjord</b> is the longest.</p>
<table><tr><th>fjord</th><th>km</th></tr>
<tr><td>Sognefjord</td><td>205</td></tr><tr><td>Hardangerfjord</td><td>179</td></tr></table>`},
	"/search": {
		"application/json",
		`{"results":[{"url":"https://example.org/fjords","title":"Fjords of Norway","content":"The longest are the ` +
			`Sognefjord and the Hardangerfjord."}]}`,
	},
	"/places": {"application/json", `{"results":[{"name":"Bergen","country":"Norway","latitude":60.39,"longitude":5.32}]}`},
	"/forecast": {"application/json", `{"timezone":"Europe/Oslo",
"current_units":{"temperature_2m":"°C","precipitation":"mm","wind_speed_10m":"km/h"},
"current":{"time":"2026-11-21T12:00","temperature_2m":6.5,"precipitation":1.2,"weather_code":61,"wind_speed_10m":24},
"daily_units":{"temperature_2m_max":"°C","temperature_2m_min":"°C"},
"daily":{"time":["2026-11-21"],"weather_code":[63],"temperature_2m_max":[8],"temperature_2m_min":[4]}}`},
}

// openSite begins to serve.
func openSite() (*site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{url: "http://" + listener.Addr().String(), done: make(chan struct{})}
	s.server = &http.Server{ReadHeaderTimeout: 5 * time.Second}
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", page.kind)
		_, _ = io.WriteString(w, page.text) // who does not read it does not get it
	})
	go func() {
		defer close(s.done)
		_ = s.server.Serve(listener) // ends by close
	}()
	return s, nil
}

func (s *site) close() error {
	err := s.server.Close()
	<-s.done
	return err
}
