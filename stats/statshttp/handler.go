// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/gate"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
)

// The sizes of what a request may ask for, in bytes.
const (
	maxQuery = 8 << 10
	maxPath  = 4 << 10
)

// What answers are for if a request does not say it.
const (
	recently = 5 * time.Minute
	listed   = 100 // rows of a list
)

// turnTime is how long a request waits until its answer is computed.
const turnTime = 5 * time.Second

// handler serves what a recorder knows. Its only state is which requests it is answering.
type handler struct {
	source   api.Source
	options  Options
	gate     *gate.Gate
	exporter http.Handler // of metrics; nil if there is none
	files    files
	mux      *http.ServeMux
	turns    chan struct{} // held while an answer is computed
	streams  chan struct{} // held while a stream is open
}

var errNoRecorder = errors.New("statshttp: NewHandler: got a nil *stats.Recorder, want one that stats.New made")

// NewHandler serves what the recorder knows: a dashboard at "/", JSON below "/api/v1/", live events, and with
// [Options].Metrics metrics. `docs/http.md` describes it, "/openapi.json" defines it. It can be mounted under any prefix
// with [http.StripPrefix]. It is safe for concurrent use, starts no goroutine, and changes nothing: it answers GET and
// HEAD.
//
// Unless BearerToken or Open is set, it refuses requests that do not arrive on a loopback address, requests that came
// through a proxy, and requests whose context has no [http.LocalAddrContextKey], as those of [http.Server] have: tests
// that call the handler without a server must add it. At most half of the processors compute answers at the same time, so
// that readers leave processors to calls.
//
// An error names the field that is wrong, what it got and what it wants.
func NewHandler(recorder *stats.Recorder, o Options) (http.Handler, error) {
	if recorder == nil {
		return nil, errNoRecorder
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	h := &handler{
		source: api.Source{
			Site: api.Site{Title: o.Title, Links: links(o.Links), Metrics: o.Metrics != nil,
				Workflows: o.Workflows != nil, Refresh: o.Refresh.Milliseconds()},
			Recorder: recorder, Running: o.Running, Workflows: o.Workflows, Traces: o.Traces, Health: o.Health,
			TraceTemplate: o.TraceURL,
		},
		options: o,
		gate:    gate.New(o.BearerToken, o.Open, o.Hosts),
		files:   filesOf(o.Title),
		mux:     http.NewServeMux(),
		turns:   make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		streams: make(chan struct{}, maxStreams),
	}
	if o.Metrics != nil {
		if h.exporter, err = o.Metrics(recorder); err != nil {
			return nil, fmt.Errorf("statshttp: Options.Metrics: %w", err)
		}
		if e, ok := h.exporter.(interface{ AddHealth(stats.HealthSource) }); ok {
			e.AddHealth(&h.source)
		}
	}
	recorder.KeepExamplesIn(o.Traces)
	for pattern, res := range routes() {
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(res, w, r) })
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { nothingAt(r).Write(w) })
	return h, nil
}

// nothingAt is the problem of a path without a resource.
func nothingAt(r *http.Request) *answer.Problem {
	at := "/" + strings.TrimPrefix(r.URL.EscapedPath(), "/")
	return answer.NotFound("there is nothing at " + display.Quoted(at) + "; the resources are listed by /openapi.json")
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	gate.Harden(w.Header())
	if p := h.gate.Admit(w, r); p != nil {
		p.Write(w)
		return
	}
	if p := checkForm(w, r); p != nil {
		p.Write(w)
		return
	}
	name := lastSegment(r.RequestURI)
	if r.URL.Path == "" && name != "" { // mounted at "/prefix/", asked for "/prefix"
		w.Header().Set("Location", "./"+name+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	// A ServeMux would redirect to the clean path, without the prefix that http.StripPrefix removed.
	rooted := *r.URL
	rooted.Path = "/" + strings.TrimPrefix(r.URL.Path, "/")
	rooted.RawPath = "/" + strings.TrimPrefix(r.URL.EscapedPath(), "/")
	if !isClean(rooted.RawPath) {
		nothingAt(r).Write(w)
		return
	}
	routed := *r
	routed.URL = &rooted
	h.mux.ServeHTTP(w, &routed)
}

// isClean reports whether a path has no empty segments and no segments of dots.
func isClean(p string) bool {
	return strings.TrimSuffix(path.Clean(p), "/") == strings.TrimSuffix(p, "/")
}

// serve answers a request for a resource.
func (h *handler) serve(res *route, w http.ResponseWriter, r *http.Request) {
	window := stats.Window{Last: recently}
	if res.raw {
		window = stats.Window{}
	}
	q, p := query.Parse(r.URL, res.parameters, cmp.Or(res.limit, listed), window)
	if p != nil {
		p.Write(w)
		return
	}
	request := &api.Request{Request: r, Query: q, Now: h.source.Recorder.Now()}
	if res.serve != nil {
		res.serve(h, w, request)
		return
	}
	tag := ""
	if res.counted {
		if tag = h.stateTag(request); answer.Unchanged(w, r, tag) {
			return
		}
	}
	body, p := h.compute(request, res.body)
	if p != nil {
		p.Write(w)
		return
	}
	answer.Write(w, r, res.contentType, tag, body)
}

// compute makes an answer when it is the request's turn.
func (h *handler) compute(r *api.Request, body bodyFunc) ([]byte, *answer.Problem) {
	patience := time.NewTimer(turnTime)
	defer patience.Stop()
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
		return body(h, r)
	case <-r.Context().Done():
	case <-patience.C:
	}
	return nil, &answer.Problem{Status: http.StatusServiceUnavailable,
		Detail: "too many requests are being answered; try again in a few seconds"}
}

// stateTag is the entity tag of what the recorder knows now. The answer to the same question changes only if a call
// begins or ends, or if the window moves, which it does by whole intervals.
func (h *handler) stateTag(r *api.Request) string {
	recorder, width := h.source.Recorder, int64(stats.IntervalWidth(0))
	interval := r.Now.UnixNano() / width * width
	return answer.EntityTag(fmt.Appendf(nil, "%d %d %d %d %s?%s", recorder.Started().UnixNano(), recorder.LastID(),
		recorder.InFlight(), interval, r.URL.EscapedPath(), r.URL.RawQuery))
}

// checkForm checks the form of a request, whatever it asks for.
func checkForm(w http.ResponseWriter, r *http.Request) *answer.Problem {
	for _, part := range []struct {
		name      string
		size, max int
	}{{"query", len(r.URL.RawQuery), maxQuery}, {"path", len(r.URL.Path), maxPath}} {
		if part.size > part.max {
			return &answer.Problem{Status: http.StatusRequestURITooLong,
				Detail: fmt.Sprintf("got a %s of %d bytes, want at most %d", part.name, part.size, part.max)}
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return &answer.Problem{Status: http.StatusMethodNotAllowed,
			Detail: "got method " + display.Quoted(r.Method) + ", want GET or HEAD"}
	}
	return nil
}

// lastSegment is the last segment of a request's path as the client wrote it.
func lastSegment(uri string) string {
	p, _, _ := strings.Cut(uri, "?")
	return p[strings.LastIndexByte(p, '/')+1:]
}
