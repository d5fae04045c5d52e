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

// The members of an archive that are made here, as the HAR 1.2 specification has them.
type (
	harPage struct {
		Started time.Time `json:"startedDateTime"`
		ID      string    `json:"id"`
		Title   string    `json:"title"`
		Timings struct{}  `json:"pageTimings"`
	}
	harEntry struct {
		Page     string      `json:"pageref,omitempty"`
		Started  time.Time   `json:"startedDateTime"`
		Time     float64     `json:"time"` // milliseconds
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Call     harCall     `json:"_toolscope"`
	}
	harMessage struct {
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []struct{} `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harRequest struct {
		Method string `json:"method"`
		URL    string `json:"url"`
		harMessage
		Query []struct{}   `json:"queryString"`
		Body  *harPostData `json:"postData,omitempty"`
	}
	harPostData struct {
		MIMEType string     `json:"mimeType"`
		Params   []struct{} `json:"params"`
		Text     string     `json:"text"`
	}
	harResponse struct {
		Status     int    `json:"status"`
		StatusText string `json:"statusText"`
		harMessage
		Content  harContent `json:"content"`
		Redirect string     `json:"redirectURL"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
	}
	harPair    struct{ Name, Value string }
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	// harCall is what an archive has no member for.
	harCall struct {
		Tool      string `json:"tool"`
		Outcome   string `json:"outcome"`
		ErrorType string `json:"error_type,omitempty"`
		Session   string `json:"session,omitempty"`
		Agent     string `json:"agent,omitempty"`
		Turn      int    `json:"turn,omitempty"`
		ID        string `json:"id,omitempty"`
		TraceID   string `json:"trace_id,omitempty"`
		SpanID    string `json:"span_id,omitempty"`
	}
)

// MarshalJSON writes the names as archives have them.
func (p harPair) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": p.Name, "value": p.Value})
}

func (s *harSink) Add(c *calllog.Call) error {
	if c.End.IsZero() {
		return ErrNoTime
	}
	ms := float64(c.Duration) / float64(time.Millisecond)
	status := statusOf(c)
	e := harEntry{
		Page: s.page(c), Started: c.End.Add(-c.Duration).UTC(), Time: ms, Timings: harTimings{Wait: ms},
		Request: harRequest{
			Method: http.MethodPost, URL: "http://tools.invalid/" + url.PathEscape(c.Tool),
			harMessage: message("application/json", len(c.Arguments)), Query: []struct{}{},
		},
		Call: harCall{
			Tool: c.Tool, Outcome: c.Outcome.String(), ErrorType: c.ErrorType, Session: c.Session,
			Agent: c.Agent, Turn: c.Turn, ID: c.ID, TraceID: c.TraceID, SpanID: c.SpanID,
		},
	}
	if len(c.Arguments) > 0 {
		e.Request.Body = &harPostData{MIMEType: "application/json", Params: []struct{}{}, Text: string(c.Arguments)}
	}
	text, kind := c.ResultText(), "text/plain"
	if c.Error != "" {
		text = c.Error
	}
	if first := bytes.TrimLeft(
		[]byte(text), " \t\r\n",
	); len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(first) {
		kind = "application/json"
	}
	e.Response = harResponse{
		Status: status, StatusText: statusText(c, status), harMessage: message(kind, len(text)),
		Content: harContent{Size: len(text), MIMEType: kind, Text: text},
	}
	return s.entry(&e)
}

func message(kind string, size int) harMessage {
	return harMessage{
		HTTPVersion: "HTTP/1.1", Cookies: []struct{}{}, Headers: []harPair{{"Content-Type", kind}},
		HeadersSize: -1, BodySize: size,
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
func (s *harSink) entry(e *harEntry) error {
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
