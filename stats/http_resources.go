// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"embed"
	"net/http"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
)

// A resource is what is found at a path.
type resource struct {
	contentType string
	// parameters are the names of those its query may have.
	parameters []string
	// counted says that the answer changes only with what the recorder counts.
	counted bool
	// body makes the answer. It is nil for what takes the whole exchange.
	body func(h *handler, r *request) ([]byte, *problem)
	// serve takes the whole exchange.
	serve func(h *handler, w http.ResponseWriter, r *request)
}

// resources returns all there are, by their paths; a * stands for a name. It is a function, not a
// variable, so that a program without a handler does not link them.
func resources() map[string]*resource {
	return map[string]*resource{
		"":                         {contentType: "text/html; charset=utf-8", parameters: pageParameters, body: (*handler).page},
		"assets/dashboard.css":     asset("text/css; charset=utf-8", "dashboard.css"),
		"assets/icon.svg":          asset("image/svg+xml", "dashboard.svg"),
		"assets/dashboard.js":      asset("text/javascript; charset=utf-8", "dashboard.js"),
		"api/v1/summary":           data((*handler).summary, windowNames...),
		"api/v1/tools":             data((*handler).tools, slices.Concat(windowNames, []string{"sort", "limit"})...),
		"api/v1/tools/*":           data((*handler).tool, windowNames...),
		"api/v1/tools/*/histogram": {contentType: "text/plain; charset=utf-8", counted: true, parameters: slices.Concat(windowNames, []string{"format"}), body: (*handler).histogram},
		"api/v1/errors":            data((*handler).errors, slices.Concat(windowNames, []string{"tool", "limit"})...),
		"api/v1/calls":             data((*handler).calls, callParameters...),
		"api/v1/calls/*":           fresh((*handler).call),
		"api/v1/sessions":          data((*handler).sessions, "limit"),
		"api/v1/loops":             data((*handler).loops, "limit"),
		"api/v1/running":           fresh((*handler).running, "limit"),
		"api/v1/snapshot":          data((*handler).snapshot, windowNames...),
		"api/v1/stream":            {parameters: windowNames, serve: (*handler).stream},
		"api/v1/openapi.json":      {contentType: "application/openapi+json", body: openapiBelow},
		"openapi.json":             asset("application/openapi+json", "openapi.json"),
		"metrics":                  {serve: (*handler).metrics},
		"healthz":                  fresh((*handler).healthz, "fail"),
	}
}

//go:embed dashboard.css dashboard.js dashboard.svg openapi.json
var assets embed.FS

// asset is a file of the binary.
func asset(contentType, file string) *resource {
	return &resource{contentType: contentType, body: func(*handler, *request) ([]byte, *problem) {
		body, err := assets.ReadFile(file)
		if err != nil {
			return nil, notFound("the binary was built without " + file)
		}
		return body, nil
	}}
}

// openapiBelow is the definition for who found it two levels below where the handler is mounted:
// its paths count from there.
func openapiBelow(*handler, *request) ([]byte, *problem) {
	body, err := assets.ReadFile("openapi.json")
	if err != nil {
		return nil, notFound("the binary was built without openapi.json")
	}
	return bytes.Replace(body, []byte(`"url": "."`), []byte(`"url": "../.."`), 1), nil
}

// data is a resource in JSON that is made of what the recorder counts.
func data(value func(*handler, *request) (any, *problem), parameters ...string) *resource {
	res := fresh(value, parameters...)
	res.counted = true
	return res
}

// fresh is a resource in JSON.
func fresh(value func(*handler, *request) (any, *problem), parameters ...string) *resource {
	return &resource{contentType: "application/json", parameters: parameters, body: func(h *handler, r *request) ([]byte, *problem) {
		v, p := value(h, r)
		if p != nil || r.query.problem != nil {
			return nil, p
		}
		body, err := encodeJSON(v, "  ")
		if err != nil {
			return nil, &problem{Status: http.StatusInternalServerError, Detail: "the answer could not be encoded"}
		}
		return body, nil
	}}
}

// metrics hands over to whoever makes metrics.
func (h *handler) metrics(w http.ResponseWriter, r *request) {
	if h.exporter == nil {
		notFound("no metrics are served here: the handler was made without HandlerOptions.Metrics").write(w)
		return
	}
	defer limitWriting(w, r.Request)()
	h.exporter.ServeHTTP(w, r.Request)
}

// healthAnswer answers /healthz.
type healthAnswer struct {
	// Status is ok, or degraded if a component has a problem.
	Status     string      `json:"status"`
	Components []Component `json:"components"` // components that report their state
}

// healthz says that the process answers, and how its components are. A problem of one is
// no reason to restart the process or to keep work from it, so that the status is 200 all
// the same, unless the request asks for it to be 503.
func (h *handler) healthz(r *request) (any, *problem) {
	failing := r.query.choice("fail", "never", "degraded") == "degraded"
	if r.query.problem != nil {
		return nil, nil
	}
	answer := healthAnswer{Status: "ok", Components: h.components()}
	var problems []string
	for _, c := range answer.Components {
		for _, p := range c.Problems {
			problems = append(problems, c.Name+": "+p)
		}
	}
	if len(problems) == 0 {
		return answer, nil
	}
	answer.Status = "degraded"
	if failing {
		return nil, &problem{Status: http.StatusServiceUnavailable, Detail: display.Clip(strings.Join(problems, "; "), 1000)}
	}
	return answer, nil
}

// histogram is the running times of a tool in a form of HdrHistogram's.
func (h *handler) histogram(r *request) ([]byte, *problem) {
	w, format := r.query.window(Window{}), r.query.choice("format", "hgrm", "hlog")
	if r.query.problem != nil {
		return nil, nil
	}
	if p := h.mustKnow(r.argument); p != nil {
		return nil, p
	}
	var b bytes.Buffer
	var err error
	if format == "hlog" {
		err = WriteHlog(&b, r.argument, h.recorder.Intervals(w)...)
	} else {
		err = h.recorder.Snapshot(w).Executed(r.argument).WriteHgrm(&b)
	}
	if err != nil {
		return nil, &problem{Status: http.StatusInternalServerError, Detail: "the histogram could not be encoded"}
	}
	return b.Bytes(), nil
}
