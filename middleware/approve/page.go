// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/display"
)

//go:embed page.html
var pageText string

// pageTemplate is made when the first page is: a program that serves none does not link package
// html/template, as it would if an initialised variable held the template.
var (
	pageTemplate *template.Template
	pageOnce     sync.Once
)

func makePage() {
	pageTemplate = template.Must(template.New("approvals").Funcs(template.FuncMap{
		"plain": display.Plain,
		"clock": func(t time.Time) string { return t.Format(time.TimeOnly) },
	}).Parse(pageText))
}

// row is a request with the form's signature.
type row struct {
	Request
	Left      string
	Signature string
}

// page shows the open requests, each with its form, and the closed ones.
func (s *server) page(w http.ResponseWriter, status int, message string) {
	now := time.Now()
	var rows []row
	for _, r := range s.policy.Pending() {
		rows = append(rows, row{r, r.Expires.Sub(now).Round(time.Second).String(), s.signature(r.ID, r.Digest)})
	}
	var b bytes.Buffer
	pageOnce.Do(makePage)
	err := pageTemplate.Execute(&b, struct {
		Message string
		Pending []row
		Decided []Decision
	}{message, rows, s.policy.Decided()})
	if err != nil {
		fail(w, http.StatusInternalServerError, "the page could not be made")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}
