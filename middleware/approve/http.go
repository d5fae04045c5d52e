// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// The bounds of the HTTP surface, in bytes.
const (
	minToken = 16
	maxBody  = 16 << 10
)

// listing answers GET api/v1/approvals.
type listing struct {
	Pending []Request  `json:"pending"` // open requests
	Decided []Decision `json:"decided"` // closed requests, at most 200
}

// answerBody is what a client posts to api/v1/approvals/{id}.
type answerBody struct {
	Approve *bool  `json:"approve"` // true approves, false rejects; must be there
	Digest  string `json:"digest"`  // digest of the request that the client saw
	By      string `json:"by"`      // name of the person, if authentication gives none
	Note    string `json:"note"`    // text for the model and the audit log
}

// accepted answers a POST that closed a request.
type accepted struct {
	ID      string `json:"id"`      // id of the request
	Approve bool   `json:"approve"` // whether it was approved
}

// problem is an error in the form of RFC 9457.
type problem struct {
	Title  string `json:"title"`  // text of the HTTP status
	Status int    `json:"status"` // HTTP status code
	Detail string `json:"detail"` // what was wrong with the request
}

// server answers over HTTP.
type server struct {
	policy *Policy
	token  [sha256.Size]byte
	csrf   [32]byte // signs the page's forms
}

// NewHandler serves the requests for people and programs:
//
//	GET  …/approvals               a page with a form for each request
//	GET  …/api/v1/approvals        {"pending":[…],"decided":[…]}
//	POST …/api/v1/approvals/{id}   {"approve":true,"digest":"…","by":"…","note":"…"}
//
// Every request must carry the token, 16 bytes or more, as a bearer token or as the
// password of basic authentication (the user is then who approves): without it nothing
// is shown and nothing decided, on the loopback address as well. A request made by
// another site's page is refused. An answer that comes to nothing is 404 (unknown), 409
// (answered, expired or withdrawn before) or 412 (the digest is another call's); errors
// are in RFC 9457 form. From then on the policy waits for answers over HTTP.
func NewHandler(p *Policy, token string) (http.Handler, error) {
	if err := p.AnswerOverHTTP(token); err != nil {
		return nil, err
	}
	s := &server{policy: p, token: sha256.Sum256([]byte(token))}
	_, _ = rand.Read(s.csrf[:]) // never fails
	return s, nil
}

// AnswerOverHTTP makes the policy wait for answers over HTTP, as [NewHandler] does, without making
// the handler: toolscope.New calls it, so that programs that serve no pages do not link them. It
// returns the error that NewHandler would return.
func (p *Policy) AnswerOverHTTP(token string) error {
	if p == nil {
		return errors.New("approve: NewHandler: got a nil policy, want one that New made")
	}
	if p.unattended {
		return errors.New("approve: NewHandler: got an unattended policy, want one without approve.Unattended (in a " +
			"file: unattended: true)")
	}
	if len(token) < minToken || strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("approve: NewHandler: token: got %d bytes, want at least %d without blanks", len(token), minToken)
	}
	p.served.Store(true)
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") &&
		(r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate") {
		fail(w, http.StatusForbidden, "the request was made by a page of another site")
		return
	}
	by, basic, ok := s.authenticated(r)
	if !ok {
		h.Add("WWW-Authenticate", `Bearer realm="toolscope approvals"`)
		h.Add("WWW-Authenticate", `Basic realm="toolscope approvals: your name, and the token as the password"`)
		fail(w, http.StatusUnauthorized, "got no token or a wrong one, want the one that the handler was given")
		return
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch i := strings.LastIndex(path, "/api/v1/approvals"); {
	case i >= 0 && r.Method == http.MethodGet && strings.HasSuffix(path, "/approvals"):
		s.list(w)
	case i >= 0 && r.Method == http.MethodPost && strings.HasPrefix(path[i:], "/api/v1/approvals/"):
		s.decide(w, r, path[i+len("/api/v1/approvals/"):], by, basic)
	case i < 0 && strings.HasSuffix(path, "/approvals") && r.Method == http.MethodGet:
		s.page(w, http.StatusOK, "")
	case i < 0 && strings.HasSuffix(path, "/approvals") && r.Method == http.MethodPost:
		s.form(w, r, by)
	default:
		fail(w, http.StatusNotFound, "want GET approvals, GET api/v1/approvals or POST api/v1/approvals/{id}")
	}
}

// authenticated says who asks, and whether the browser may have sent the token by
// itself (basic authentication).
func (s *server) authenticated(r *http.Request) (by string, basic, ok bool) {
	user, given, basic := r.BasicAuth()
	if !basic {
		scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "bearer") {
			return "", false, false
		}
		given = strings.TrimSpace(rest)
	}
	sum := sha256.Sum256([]byte(given))
	return user, basic, subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
}

func (s *server) list(w http.ResponseWriter) {
	open, closed := s.policy.Pending(), s.policy.Decided()
	if open == nil {
		open = []Request{}
	}
	if closed == nil {
		closed = []Decision{}
	}
	write(w, http.StatusOK, "application/json", listing{open, closed})
}

// decide takes an answer of a program. JSON cannot be sent by another site's form, and
// a browser asks before another site's script may send it.
func (s *server) decide(w http.ResponseWriter, r *http.Request, id, by string, basic bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "Content-Type: want application/json")
		return
	}
	if basic && !sameOrigin(r) {
		fail(w, http.StatusForbidden, "Origin: want this host's, or a bearer token in place of basic authentication")
		return
	}
	var in answerBody
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Approve == nil || d.More() {
		fail(w, http.StatusBadRequest,
			`want one JSON object {"approve":true or false,"digest":"…"} with "by" and "note" if you like, of at most 16 KiB`)
		return
	}
	if by == "" {
		by = in.By
	}
	if by == "" {
		by = "http"
	}
	if err := s.policy.Decide(id, in.Digest, Answer{*in.Approve, by, in.Note}); err != nil {
		fail(w, status(err), err.Error())
		return
	}
	write(w, http.StatusOK, "application/json", accepted{id, *in.Approve})
}

// form takes an answer of the page.
func (s *server) form(w http.ResponseWriter, r *http.Request, by string) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		fail(w, http.StatusBadRequest, "want the page's own form")
		return
	}
	id, digest := r.PostForm.Get("id"), r.PostForm.Get("digest")
	if !hmac.Equal([]byte(r.PostForm.Get("csrf")), []byte(s.signature(id, digest))) || !sameOrigin(r) {
		fail(w, http.StatusForbidden, "the form is not this page's: load it again")
		return
	}
	if by == "" {
		by = "http"
	}
	answer := r.PostForm.Get("answer")
	if answer != "approve" && answer != "reject" {
		fail(w, http.StatusBadRequest, "answer: want approve or reject")
		return
	}
	if err := s.policy.Decide(id, digest, Answer{answer == "approve", by, r.PostForm.Get("note")}); err != nil {
		s.page(w, status(err), err.Error())
		return
	}
	w.Header().Set("Location", "approvals")
	w.WriteHeader(http.StatusSeeOther)
}

// signature ties a form to the request it is for, and to this handler.
func (s *server) signature(id, digest string) string {
	mac := hmac.New(sha256.New, s.csrf[:])
	mac.Write([]byte(id + "\x00" + digest))
	return hex.EncodeToString(mac.Sum(nil))
}

// sameOrigin reports whether a browser says that the request came from this host's
// own page.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

func status(err error) int {
	switch {
	case errors.Is(err, ErrUnknown):
		return http.StatusNotFound
	case errors.Is(err, ErrClosed):
		return http.StatusConflict
	case errors.Is(err, ErrDigest):
		return http.StatusPreconditionFailed
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
