// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"
)

// Times and numbers that bound what a client can take up.
const (
	answerTime  = 30 * time.Second // to take an answer
	waitTime    = 5 * time.Second  // for one's turn to be computed
	eventTime   = 5 * time.Second  // to take an event of a stream
	streamTime  = 15 * time.Minute // of one stream; its client comes back by itself
	silenceTime = 15 * time.Second // without an event, then a stream says that it lives
)

// handler serves what a recorder knows. It holds no state of its own but for who is
// being served.
type handler struct {
	recorder  *Recorder
	config    *handlerConfig
	gate      *gate
	exporter  http.Handler // of metrics; nil if there is none
	resources map[string]*resource
	turns     chan struct{} // held while an answer is computed
	streams   chan struct{} // held while a stream is open
}

// NewHandler serves what the recorder knows: a dashboard at "/", JSON below
// "/api/v1/", live events, and with [HandlerOptions].Metrics metrics. `docs/http.md` describes
// it, "/openapi.json" defines it. It can be mounted under any prefix with
// [http.StripPrefix]. It is safe for concurrent use, starts no goroutine, and
// changes nothing: it answers GET and HEAD.
//
// Unless BearerToken or Open is set, it refuses requests that do not
// arrive on a loopback address, those that came through a proxy, and those whose
// context holds no [http.LocalAddrContextKey], as [http.Server]'s do: tests that call
// it without a server put one there. Answers are computed by at most half of the
// processors at once, so that readers leave room for calls.
//
// An error names the field that is wrong, what it got and what it wants.
func NewHandler(recorder *Recorder, o HandlerOptions) (http.Handler, error) {
	if recorder == nil {
		return nil, errNoRecorder
	}
	c, err := newHandlerConfig(o)
	if err != nil {
		return nil, err
	}
	h := &handler{
		recorder:  recorder,
		resources: resources(),
		config:    c,
		gate:      newGate(c),
		turns:     make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		streams:   make(chan struct{}, maxStreams),
	}
	if c.Metrics != nil {
		if h.exporter, err = c.Metrics(recorder); err != nil {
			return nil, fmt.Errorf("stats: HandlerOptions.Metrics: %w", err)
		}
	}
	return h, nil
}

// request is a request that was let in, for a resource that exists.
type request struct {
	*http.Request
	query    *query
	argument string // what stands for the * of the resource's path, decoded
	now      time.Time
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if p := h.gate.admit(w, r); p != nil {
		p.write(w)
		return
	}
	if p := proper(w, r); p != nil {
		p.write(w)
		return
	}
	if name := lastSegment(r.RequestURI); r.URL.Path == "" && name != "" { // mounted at "/prefix/", asked for "/prefix"
		w.Header().Set("Location", "./"+name+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	res, argument, p := h.resource(r.URL.EscapedPath())
	if p != nil {
		p.write(w)
		return
	}
	q := &request{Request: r, query: parseQuery(r.URL, res.parameters), argument: argument, now: h.recorder.config.now()}
	if q.query.problem != nil {
		q.query.problem.write(w)
		return
	}
	if res.serve != nil {
		res.serve(h, w, q)
		return
	}
	tag := ""
	if res.counted {
		if tag = h.stateTag(q); unchanged(w, r, tag) {
			return
		}
	}
	body, p := h.compute(res, q)
	if p != nil {
		p.write(w)
		return
	}
	answer(w, r, res.contentType, tag, body)
}

// compute makes the answer when it is its turn.
func (h *handler) compute(res *resource, r *request) ([]byte, *problem) {
	patience := time.NewTimer(waitTime)
	defer patience.Stop()
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-r.Context().Done():
		return nil, busy
	case <-patience.C:
		return nil, busy
	}
	body, p := res.body(h, r)
	if r.query.problem != nil {
		return nil, r.query.problem
	}
	return body, p
}

// stateTag is the tag of what the recorder knows now: an answer to the same question
// is the same until a call begins or ends, but for the window's moving on, which is
// by whole intervals.
func (h *handler) stateTag(r *request) string {
	running := int64(0)
	for _, t := range h.recorder.tools.all() {
		running += t.inFlight.Load()
	}
	return entityTag(fmt.Appendf(nil, "%d %d %d %d %s?%s", h.recorder.started, h.recorder.LastID(), running,
		floor(r.now.UnixNano(), fineWidth), r.URL.EscapedPath(), r.URL.RawQuery))
}

var busy = &problem{Status: http.StatusServiceUnavailable, Detail: "too many requests are being answered; try again in a few seconds"}

// proper checks the form of a request, whatever it asks for.
func proper(w http.ResponseWriter, r *http.Request) *problem {
	if n := len(r.URL.RawQuery); n > maxQuery {
		return &problem{Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("got a query of %d bytes, want at most %d", n, maxQuery)}
	}
	if n := len(r.URL.Path); n > maxPath {
		return &problem{Status: http.StatusRequestURITooLong, Detail: fmt.Sprintf("got a path of %d bytes, want at most %d", n, maxPath)}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return &problem{Status: http.StatusMethodNotAllowed, Detail: "got method " + shown(r.Method) + ", want GET or HEAD"}
	}
	return nil
}

// resource is the resource at an escaped path. The fourth segment is always a name,
// percent-encoded, so that a name may hold slashes, dots, anything.
func (h *handler) resource(path string) (res *resource, argument string, p *problem) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(segments) > 3 {
		name, err := url.PathUnescape(segments[3])
		if err != nil {
			return nil, "", &problem{Status: http.StatusBadRequest, Detail: "the path is not percent-encoded"}
		}
		argument = name
		segments[3] = "*"
	}
	res, ok := h.resources[strings.Join(segments, "/")]
	if !ok {
		return nil, "", notFound("there is nothing at " + shown(path) + "; the resources are listed by /openapi.json")
	}
	return res, argument, nil
}

// lastSegment is the last segment of a request's path as the client wrote it.
func lastSegment(uri string) string {
	path, _, _ := strings.Cut(uri, "?")
	return path[strings.LastIndexByte(path, '/')+1:]
}
