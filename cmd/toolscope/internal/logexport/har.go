// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

// NewHAR is an HTTP archive, version 1.2: what browsers' developer tools and HTTP
// debuggers open. A call is a request to http://tools.invalid/NAME with the arguments as
// its body and the result as its answer's, a session is a page. version is that of the
// program that writes it.
func NewHAR(w io.Writer, version string) Sink {
	return &harSink{to: bufio.NewWriterSize(w, 64<<10), version: version, pages: make(map[string]*harPage)}
}

// maxPages is how many sessions become pages; calls of those beyond belong to none.
const maxPages = 4096

type harSink struct {
	to      *bufio.Writer
	version string
	begun   bool
	pages   map[string]*harPage // by session
	order   []*harPage
}

// A harPage is a session.
type harPage struct {
	Started time.Time `json:"startedDateTime"`
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Timings struct{}  `json:"pageTimings"`
}

// object is a JSON object of an archive, as the HAR 1.2 specification has it.
type object map[string]any

// set adds a member unless its value is empty.
func (o object) set(name, value string) {
	if value != "" {
		o[name] = value
	}
}

func (s *harSink) Add(c *calllog.Call) error {
	if c.End.IsZero() {
		return ErrNoTime
	}
	ms := float64(c.Duration) / float64(time.Millisecond)
	call := object{"tool": c.Tool, "outcome": c.Outcome.String()} // what an archive has no member for
	call.set("error_type", c.ErrorType)
	call.set("session", c.Session)
	call.set("agent", c.Agent)
	call.set("id", c.ID)
	call.set("trace_id", c.TraceID)
	call.set("span_id", c.SpanID)
	if c.Turn != 0 {
		call["turn"] = c.Turn
	}
	request := message("application/json", len(c.Arguments))
	request["method"], request["url"] = http.MethodPost, "http://tools.invalid/"+url.PathEscape(c.Tool)
	request["queryString"] = []object{}
	if len(c.Arguments) > 0 {
		request["postData"] = object{"mimeType": "application/json", "params": []object{}, "text": string(c.Arguments)}
	}
	e := object{
		"startedDateTime": c.End.Add(-c.Duration).UTC(), "time": ms, "cache": object{},
		"timings": object{"send": 0, "wait": ms, "receive": 0},
		"request": request, "response": response(c), "_toolscope": call,
	}
	e.set("pageref", s.page(c))
	return s.entry(e)
}

func response(c *calllog.Call) object {
	status, text, kind := statusOf(c), c.ResultText(), "text/plain"
	if c.Error != "" {
		text = c.Error
	}
	first := bytes.TrimLeft([]byte(text), " \t\r\n")
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(first) {
		kind = "application/json"
	}
	r := message(kind, len(text))
	r["status"], r["statusText"], r["redirectURL"] = status, statusText(c, status), ""
	r["content"] = object{"size": len(text), "mimeType": kind, "text": text}
	return r
}

// message has what requests and responses have in common.
func message(kind string, size int) object {
	return object{
		"httpVersion": "HTTP/1.1", "cookies": []object{}, "headers": []object{{"name": "Content-Type", "value": kind}},
		"headersSize": -1, "bodySize": size,
	}
}

// statuses are the HTTP statuses that stand for kinds of errors, all of toolkit.Kinds.
var statuses = map[string]int{
	string(toolkit.ErrTool): http.StatusInternalServerError, string(toolkit.ErrPanic): http.StatusInternalServerError,
	string(toolkit.ErrTimeout): http.StatusGatewayTimeout, string(toolkit.ErrCanceled): 499,
	string(toolkit.ErrUnknownTool):      http.StatusNotFound,
	string(toolkit.ErrInvalidArguments): http.StatusBadRequest,
	string(toolkit.ErrPermissionDenied): http.StatusForbidden,
	string(toolkit.ErrApprovalDenied):   http.StatusForbidden,
	string(toolkit.ErrApprovalExpired):  http.StatusForbidden,
	string(toolkit.ErrRateLimited):      http.StatusTooManyRequests,
	string(toolkit.ErrOverloaded):       http.StatusServiceUnavailable,
	string(toolkit.ErrCircuitOpen):      http.StatusServiceUnavailable,
	string(toolkit.ErrLoopDetected):     http.StatusLoopDetected,
	string(toolkit.ErrBudgetExceeded):   http.StatusPaymentRequired,
}

// statusOf is the HTTP status that a call's end comes nearest to.
func statusOf(c *calllog.Call) int {
	switch status := statuses[c.ErrorType]; {
	case c.ErrorType == "":
		return http.StatusOK
	case status != 0:
		return status
	}
	return http.StatusInternalServerError
}

func statusText(c *calllog.Call, status int) string {
	switch {
	case c.ErrorType != "":
		return c.ErrorType
	case c.Outcome != toolkit.OutcomeExecuted:
		return c.Outcome.String()
	}
	return http.StatusText(status)
}

// page is the id of the session's page.
func (s *harSink) page(c *calllog.Call) string {
	if c.Session == "" {
		return ""
	}
	p := s.pages[c.Session]
	started := c.End.Add(-c.Duration).UTC()
	if p == nil {
		if len(s.pages) >= maxPages {
			return ""
		}
		p = &harPage{Started: started, ID: c.Session, Title: c.Session}
		s.pages[c.Session] = p
		s.order = append(s.order, p)
	}
	if started.Before(p.Started) {
		p.Started = started
	}
	return p.ID
}

// entry writes an entry, and before the first one the beginning of the archive.
func (s *harSink) entry(e object) error {
	separator := ",\n"
	if !s.begun {
		separator = s.head()
	}
	return s.json(separator, e)
}

// head is the beginning of the archive. Its pages come last: they are known then.
func (s *harSink) head() string {
	s.begun = true
	version, _ := json.Marshal(s.version) // a string always encodes
	return `{"log":{"version":"1.2","creator":{"name":"toolscope","version":` + string(version) + "},\n\"entries\":[\n"
}

func (s *harSink) json(before string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := s.to.WriteString(before); err != nil {
		return err
	}
	_, err = s.to.Write(text)
	return err
}

func (s *harSink) Close() error {
	before := ""
	if !s.begun {
		before = s.head()
	}
	if s.order == nil {
		s.order = []*harPage{}
	}
	if err := s.json(before+"\n],\n\"pages\":", s.order); err != nil {
		return err
	}
	if _, err := s.to.WriteString("}}\n"); err != nil {
		return err
	}
	return s.to.Flush()
}
