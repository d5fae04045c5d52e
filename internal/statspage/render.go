// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"sync"

	"github.com/toolscope/toolscope/internal/display"
)

// Style is the style sheet of the pages.
//
//go:embed dashboard.css
var Style string

//go:embed dashboard.html report.html
var texts embed.FS

// templates are parsed when the first page is rendered. A program that renders none does not link
// package html/template, as it would if an initialised variable held them or the function that parses them.
var (
	templates     *template.Template
	templatesOnce sync.Once
)

func parseTemplates() {
	templates = template.Must(template.New("").Funcs(template.FuncMap{
		"plain":    display.Plain,
		"clip":     display.Clip,
		"count":    display.Count,
		"ms":       display.Milliseconds,
		"duration": display.Duration,
		"percent":  display.Percent,
		"rate":     display.Rate,
		"bytes":    size,
		"sorted": func(sorts map[string]Link, by, name string) Link {
			return Link{name, sorts[by].Href, sorts[by].Current}
		},
		"three": display.Three,
		"shown": func(id, title string, calls []shownCall) any {
			return struct {
				ID, Title string
				Calls     []shownCall
			}{id, title, calls}
		},
	}).ParseFS(texts, "*.html"))
}

// Dashboard is the name of the dashboard's template.
const Dashboard = "dashboard.html"

// Render renders a template. Texts in data are escaped; other invisible characters, such as those of a form's values,
// become character references.
func Render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	templatesOnce.Do(parseTemplates)
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, err
	}
	return display.ReplaceInvisible(b.Bytes(), func(out []byte, r rune) []byte { return fmt.Appendf(out, "&#x%x;", r) }), nil
}

// size is a number of bytes, of any type.
func size(n any) string {
	switch n := n.(type) {
	case uint64:
		return display.Bytes(n)
	case int64:
		return display.Bytes(uint64(max(0, n)))
	case int:
		return display.Bytes(uint64(max(0, n)))
	}
	return ""
}

// A Link leads to another form of the page; Current is the form that is seen.
type Link struct {
	Name, Href string
	Current    bool
}
