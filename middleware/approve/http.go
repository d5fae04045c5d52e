// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
)

// The bounds of the HTTP surface, in bytes.
const (
	maxBody   = 16 << 10
	maxAnswer = 256 << 10 // of the views in a list
)

// shown is an open request with what a person has to see.
type shown struct {
	Request
	View View   `json:"view"`           // call as a person sees it
	Seen string `json:"seen,omitempty"` // proof that the whole view was asked for
}

// listing answers GET api/v1/approvals.
type listing struct {
	Count   int        `json:"count"`         // open requests
	Pending []shown    `json:"pending"`       // open requests, the oldest first
	Decided []Decision `json:"decided"`       // closed requests, at most 200, the latest first
	Stops   []Stop     `json:"stops"`         // what is stopped
	You     string     `json:"you,omitempty"` // name of the person whose token was sent
}

// answerBody is what a client posts to api/v1/approvals/{id}.
type answerBody struct {
	Approve *bool  `json:"approve"` // true approves, false rejects; must be there
	Digest  string `json:"digest"`  // digest of the request that the client saw
	Seen    string `json:"seen"`    // that of GET api/v1/approvals/{id}: to approve a call whose view was cut
	By      string `json:"by"`      // name of the person, if the token has none
	Note    string `json:"note"`    // text for the model and the audit log
}

// accepted answers a POST that was accepted.
type accepted struct {
	ID      string `json:"id"`      // id of the request
	Approve bool   `json:"approve"` // whether the answer was a yes
	State   State  `json:"state"`   // approved or rejected; pending if a second person has to approve
}

// stopBody is what a client posts to api/v1/stops.
type stopBody struct {
	Kind   string `json:"kind"`   // session, agent, tool or all
	Name   string `json:"name"`   // session id, or name of the agent or tool
	Reason string `json:"reason"` // text for the model and the audit log
	Resume bool   `json:"resume"` // lets calls pass again
	By     string `json:"by"`     // name of the person, if the token has none
}

// server answers over HTTP.
type server struct {
	policy *Policy
	gate   gate
	secret [32]byte // proves that a whole view was asked for
	mux    *http.ServeMux
	page   func() *page
}

// NewHandler serves the requests for people and programs:
//
//	GET  …/approvals               a page
//	GET  …/api/v1/approvals        {"count":1,"pending":[…],"decided":[…],"stops":[…]}
//	GET  …/api/v1/approvals/{id}   an open request with its whole view
//	POST …/api/v1/approvals/{id}   {"approve":true,"digest":"…","note":"…"}
//	GET  …/api/v1/stops            {"stops":[…]}
//	POST …/api/v1/stops            {"kind":"session","name":"…","reason":"…"}; "resume":true ends the stop
//
// tokens is one token of 16 bytes or more that all approvers share, or has a line "NAME TOKEN" for each person; empty
// lines and those that begin with # do not count. With [Options].People or TwoPeople each person must have a token. Every
// request must carry one, as a bearer token or as the password of basic authentication: without it nothing is shown and
// nothing decided, on the loopback address as well. Too many wrong ones from an address are 429 for a minute. The Host
// header must be a loopback name, an IP address or one of hosts, without ports. A request made by another site's
// page is refused. An answer that comes to nothing is 403 (the person may not), 404 (unknown), 409 (answered,
// expired or withdrawn before) or 412 (the digest is another call's, or the whole view was not asked for); errors are in
// RFC 9457 form. From then on the policy waits for answers over HTTP.
func NewHandler(p *Policy, tokens string, hosts ...string) (http.Handler, error) {
	if err := p.AnswerOverHTTP(tokens); err != nil {
		return nil, err
	}
	people, err := parseTokens(tokens)
	if err != nil {
		return nil, err // AnswerOverHTTP checked them
	}
	s := &server{policy: p, gate: newGate(people, hosts), mux: http.NewServeMux(), page: sync.OnceValue(makePage)}
	_, _ = rand.Read(s.secret[:]) // never fails
	s.mux.HandleFunc("GET /approvals", s.servePage)
	s.mux.HandleFunc("GET /api/v1/approvals", s.list)
	s.mux.HandleFunc("GET /api/v1/approvals/{id}", s.open)
	s.mux.HandleFunc("POST /api/v1/approvals/{id}", s.decide)
	s.mux.HandleFunc("GET /api/v1/stops", s.stops)
	s.mux.HandleFunc("POST /api/v1/stops", s.stop)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "want GET approvals, GET or POST api/v1/approvals/{id}, GET or POST api/v1/stops, or "+
			"GET api/v1/approvals")
	})
	return s, nil
}

// AnswerOverHTTP makes the policy wait for answers over HTTP, as [NewHandler] does, without making
// the handler: toolscope.New calls it, so that programs that serve no pages do not link them. It
// returns the error that NewHandler would return.
func (p *Policy) AnswerOverHTTP(tokens string) error {
	if p == nil {
		return errors.New("approve: NewHandler: got a nil policy, want one that New made")
	}
	if p.unattended {
		return errors.New("approve: NewHandler: got an unattended policy, want one without approve.Unattended (in a " +
			"file: unattended: true)")
	}
	people, err := parseTokens(tokens)
	if err != nil {
		return fmt.Errorf("approve: NewHandler: token: %w", err)
	}
	if len(p.options.People)+len(p.options.TwoPeople) > 0 && people[0].name == "" {
		return errors.New("approve: NewHandler: token: got one that all share, want a line NAME TOKEN for each person: " +
			"Options.People and TwoPeople (in a file: people, two_people) tell them apart")
	}
	p.served.Store(true)
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	// Browsers send "Origin: null" with requests of pages that allow no referrer, and the answers need the origin.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	who, p := s.gate.check(w, r)
	if p != nil {
		fail(w, p.Status, p.Detail)
		return
	}
	// The handler may be mounted anywhere: what counts is how the path ends.
	path := strings.TrimSuffix(r.URL.Path, "/")
	if i := strings.LastIndex(path, "/api/v1/"); i >= 0 {
		path = path[i:]
	} else if strings.HasSuffix(path, "/approvals") || path == "approvals" {
		path = "/approvals"
	}
	inner := r.Clone(withWho(r.Context(), who))
	inner.URL.Path, inner.URL.RawPath = path, ""
	s.mux.ServeHTTP(w, inner)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	open, closed := s.policy.Pending(), s.policy.Decided()
	l := listing{Count: len(open), Pending: []shown{}, Decided: closed, Stops: s.policy.Stops(), You: whoOf(r).name}
	left := maxAnswer
	for _, request := range open {
		v := request.View().cut(min(maxListed, left))
		left -= len(v.Text())
		l.Pending = append(l.Pending, shown{Request: request, View: v})
	}
	if l.Decided == nil {
		l.Decided = []Decision{}
	}
	if l.Stops == nil {
		l.Stops = []Stop{}
	}
	write(w, http.StatusOK, "application/json", l)
}

// open shows one request whole.
func (s *server) open(w http.ResponseWriter, r *http.Request) {
	request, ok := s.policy.find(r.PathValue("id"))
	if !ok {
		fail(w, http.StatusNotFound, "there is no such open request")
		return
	}
	write(w, http.StatusOK, "application/json", shown{request, request.View(), s.proof(request)})
}

// decide takes an answer. JSON cannot be sent by another site's form, and a browser asks before another site's script may
// send it.
func (s *server) decide(w http.ResponseWriter, r *http.Request) {
	var in answerBody
	if !s.read(w, r, &in) {
		return
	}
	if in.Approve == nil {
		fail(w, http.StatusBadRequest, `want {"approve":true or false,"digest":"…"} with "note" and "seen" if you like`)
		return
	}
	id := r.PathValue("id")
	if *in.Approve {
		request, ok := s.policy.find(id)
		if ok && in.Digest == request.Digest && request.View().cut(maxListed).Cut &&
			!hmac.Equal([]byte(in.Seen), []byte(s.proof(request))) {
			fail(w, http.StatusPreconditionFailed, "the call is too long for the list: open it whole (GET api/v1/approvals/"+
				id+") and send the \"seen\" of that answer")
			return
		}
	}
	by := whoOf(r).by(in.By)
	state, err := s.policy.decide(id, in.Digest, Answer{*in.Approve, by, in.Note})
	if err != nil {
		fail(w, status(err), err.Error())
		return
	}
	write(w, http.StatusOK, "application/json", accepted{id, *in.Approve, state})
}

func (s *server) stops(w http.ResponseWriter, _ *http.Request) {
	all := s.policy.Stops()
	if all == nil {
		all = []Stop{}
	}
	write(w, http.StatusOK, "application/json", map[string]any{"stops": all})
}

// stop uses the kill switch.
func (s *server) stop(w http.ResponseWriter, r *http.Request) {
	var in stopBody
	if !s.read(w, r, &in) {
		return
	}
	by := whoOf(r).by(in.By)
	if in.Resume {
		if err := s.policy.Resume(in.Kind, in.Name, by); err != nil {
			fail(w, status(err), err.Error())
			return
		}
		write(w, http.StatusOK, "application/json", map[string]any{"resumed": true})
		return
	}
	cancelled, err := s.policy.Stop(Stop{Kind: in.Kind, Name: in.Name, By: by, Reason: in.Reason})
	if err != nil {
		fail(w, cmp.Or(status(err)%http.StatusInternalServerError, http.StatusBadRequest), err.Error())
		return
	}
	write(w, http.StatusOK, "application/json", map[string]any{"stopped": true, "cancelled": cancelled})
}

// read decodes a request's body into v; false after it has answered.
func (s *server) read(w http.ResponseWriter, r *http.Request, v any) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "Content-Type: want application/json")
		return false
	}
	if _, _, basic := r.BasicAuth(); basic && !sameOrigin(r) {
		fail(w, http.StatusForbidden, "Origin: want this host's, or a bearer token in place of basic authentication")
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil || d.More() {
		fail(w, http.StatusBadRequest, "want one JSON object of at most 16 KiB, with the members of the documentation")
		return false
	}
	return true
}

// proof shows that a client has asked for the whole view of a request.
func (s *server) proof(r Request) string {
	mac := hmac.New(sha256.New, s.secret[:])
	mac.Write([]byte(r.ID + "\x00" + r.Digest))
	return hex.EncodeToString(mac.Sum(nil))
}

func status(err error) int {
	var no *forbidden
	switch {
	case errors.As(err, &no):
		return http.StatusForbidden
	case errors.Is(err, ErrUnknown):
		return http.StatusNotFound
	case errors.Is(err, ErrClosed):
		return http.StatusConflict
	case errors.Is(err, ErrDigest):
		return http.StatusPreconditionFailed
	case errors.Is(err, ErrAway):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func fail(w http.ResponseWriter, status int, detail string) {
	write(w, status, "application/problem+json", problem{http.StatusText(status), status, detail})
}

func write(w http.ResponseWriter, status int, kind string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"title":"the answer could not be written","status":500}`)
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
