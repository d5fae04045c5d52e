// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"bytes"
	"embed"
	"net/http"
	"slices"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/statspage"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// A bodyFunc makes the body of an answer.
type bodyFunc func(h *handler, r *api.Request) ([]byte, *answer.Problem)

// A route is the resource at a path.
type route struct {
	contentType string
	parameters  []string // the names of those that its query may have
	limit       int      // the default of the parameter limit; 0 is 100
	raw         bool     // whether the default window is all time, not the last five minutes
	compact     bool     // whether JSON has no indentation
	counted     bool     // whether the answer changes only with what the recorder counts
	body        bodyFunc // nil for a route that writes the answer itself
	serve       func(h *handler, w http.ResponseWriter, r *api.Request)
}

// routes are the resources by their patterns. It is a function, so that a program without a handler does not link them.
func routes() map[string]*route {
	window, call := query.WindowNames, query.CallNames
	with := func(names []string, more ...string) []string { return slices.Concat(names, more) }
	all := map[string]*route{
		"/{$}": {
			contentType: "text/html; charset=utf-8",
			parameters:  slices.Concat(window, call, []string{"sort", "call", "view", "trace", "category"}),
			body:        static(func(f *files) []byte { return f.index }),
		},
		"/assets/page.css": {contentType: "text/css; charset=utf-8", body: static(func(f *files) []byte { return f.style })},
		"/assets/page.js": {
			contentType: "text/javascript; charset=utf-8", body: static(func(f *files) []byte { return f.script }),
		},
		"/openapi.json":        asset("application/openapi+json", "openapi.json", "."),
		"/api/v1/openapi.json": asset("application/openapi+json", "openapi.json", "../.."),
		"/api/v1/view":         compact(counted((*api.Source).View, with(window, "tool", "sort")...)),
		"/api/v1/summary.txt": {
			contentType: "text/plain; charset=utf-8", counted: true, parameters: window,
			body: func(h *handler, r *api.Request) ([]byte, *answer.Problem) { return h.source.SummaryText(r) },
		},
		"/api/v1/traces/{id}":  fresh((*api.Source).Trace),
		"/api/v1/summary":      counted((*api.Source).Summary, window...),
		"/api/v1/tools":        counted((*api.Source).Tools, with(window, "sort", "limit")...),
		"/api/v1/tools/{name}": counted((*api.Source).Tool, window...),
		"/api/v1/errors":       counted((*api.Source).Errors, with(window, "tool", "group", "limit")...),
		"/api/v1/calls":        counted((*api.Source).Calls, call...),
		"/api/v1/calls/{id}":   fresh((*api.Source).Call),
		"/api/v1/sessions":     counted((*api.Source).Sessions, "limit"),
		"/api/v1/loops":        counted((*api.Source).Loops, "limit"),
		"/api/v1/running":      fresh((*api.Source).RunningCalls, "limit"),
		"/api/v1/registered":   fresh((*api.Source).Registered, "category", "limit"),
		"/api/v1/workflows":    fresh((*api.Source).WorkflowList),
		"/api/v1/snapshot":     counted((*api.Source).Snapshot, window...),
		"/api/v1/stream":       {parameters: window, serve: (*handler).stream},
		"/metrics":             {serve: (*handler).metrics},
		"/healthz":             fresh((*api.Source).Healthz, "fail"),
		"/api/v1/tools/{name}/histogram": {
			contentType: "text/plain; charset=utf-8", counted: true, raw: true, parameters: with(window, "format"),
			body: func(h *handler, r *api.Request) ([]byte, *answer.Problem) { return h.source.Histogram(r) },
		},
	}
	all["/api/v1/tools"].limit = query.MaxListed
	all["/api/v1/registered"].limit = query.MaxListed
	all["/api/v1/snapshot"].raw = true
	return all
}

//go:embed openapi.json
var assets embed.FS

// asset is the OpenAPI definition. Paths of an OpenAPI definition are relative to root.
func asset(contentType, file, root string) *route {
	return &route{contentType: contentType, body: func(*handler, *api.Request) ([]byte, *answer.Problem) {
		body, err := assets.ReadFile(file)
		if err != nil {
			return nil, answer.NotFound("the binary was built without " + file)
		}
		return bytes.Replace(body, []byte(`"url": "."`), []byte(`"url": "`+root+`"`), 1), nil
	}}
}

// files are what the page is made of.
type files struct{ index, style, script []byte }

func filesOf(title string) files {
	return files{[]byte(statspage.Index(title)), []byte(statspage.Style()), []byte(statspage.Script())}
}

// static is a file of the page.
func static(of func(*files) []byte) bodyFunc {
	return func(h *handler, _ *api.Request) ([]byte, *answer.Problem) { return of(&h.files), nil }
}

// counted is a resource in JSON that is made of what the recorder counts.
func counted(value api.Answer, parameters ...string) *route {
	res := fresh(value, parameters...)
	res.counted = true
	return res
}

// compact is a resource in JSON without indentation: it has many numbers.
func compact(res *route) *route {
	res.compact = true
	return res
}

// fresh is a resource in JSON that can change at any time.
func fresh(value api.Answer, parameters ...string) *route {
	res := &route{contentType: "application/json", parameters: parameters}
	res.body = func(h *handler, r *api.Request) ([]byte, *answer.Problem) {
		v, p := value(&h.source, r)
		if p != nil {
			return nil, p
		}
		indent := "  "
		if res.compact {
			indent = ""
		}
		body, err := display.EncodeJSON(v, indent)
		if err != nil {
			return nil, answer.Internal("the answer could not be encoded")
		}
		return body, nil
	}
	return res
}

func links(list []Link) (links []api.Link) {
	for _, l := range list {
		links = append(links, api.Link{Name: l.Name, Href: l.Href})
	}
	return links
}

// metrics is the answer of the handler that Options.Metrics made.
func (h *handler) metrics(w http.ResponseWriter, r *api.Request) {
	if h.exporter == nil {
		answer.NotFound("no metrics are served here: the handler was made without statshttp.Options.Metrics").Write(w)
		return
	}
	defer answer.LimitWriting(w, r.Request)()
	h.exporter.ServeHTTP(w, r.Request)
}
