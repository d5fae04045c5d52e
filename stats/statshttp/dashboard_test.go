// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// pageOf is the dashboard's text.
func pageOf(t *testing.T, r *stats.Recorder, target string, o ...Options) string {
	t.Helper()
	w := ask(handlerOf(t, r, o...), target)
	if w.Code != 200 {
		t.Fatalf("%s: got %d %s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

// wellFormed checks that each element that is opened is closed, and gives its
// elements to look.
func wellFormed(t *testing.T, page string, look func(xml.StartElement)) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "&#x1b;", "?"))) // HTML has it, XML not
	d.Strict = false
	d.AutoClose = []string{"meta", "link", "input", "img"}
	d.Entity = xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			look(e)
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not closed", depth)
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// What a hostile tool, error or session is called can neither run, nor hide, nor
// leave its place.
func TestPageWithHostileNames(t *testing.T) {
	r := busyRecorder(t)
	for _, target := range []string{"/", "/?tool=" + url.QueryEscape(hostileName), "/?call=104", "/?session=%3Cb%3E&tool=%22%3E%3Cscript%3E", "/?error=%22onmouseover%3Dalert(1)"} {
		page := pageOf(t, r, target, Options{Traces: fixedTraces{}, Title: "<i>\u202e"})
		if strings.ContainsAny(page, "\x1b\u202e") {
			t.Errorf("%s: the page holds what a terminal or the order of writing would act on", target)
		}
		wellFormed(t, page, func(e xml.StartElement) {
			for _, a := range e.Attr {
				if strings.HasPrefix(strings.ToLower(a.Name.Local), "on") || a.Name.Local == "style" {
					t.Errorf("%s: <%s> has %s", target, e.Name.Local, a.Name.Local)
				}
				if strings.Contains(a.Value, "javascript:") {
					t.Errorf("%s: <%s> leads to %q", target, e.Name.Local, a.Value)
				}
			}
			if n := e.Name.Local; n == "script" && attribute(e, "src") != "assets/dashboard.js" || n == "style" || n == "iframe" || n == "i" || n == "b" && attribute(e, "onerror") != "" {
				t.Errorf("%s: got <%s %v>", target, n, e.Attr)
			}
			if e.Name.Local == "img" && attribute(e, "src") != "assets/icon.svg" {
				t.Errorf("%s: got an image of %q", target, attribute(e, "src"))
			}
		})
		if !strings.Contains(page, `&lt;img src=x onerror=alert(1)&gt;\x1b[31m\u202etxt`) {
			t.Errorf("%s: the hostile name is not shown spelled out", target)
		}
	}
}

// The page loads nothing from elsewhere, and everything it links to of its own is there.
func TestPageIsSelfContained(t *testing.T) {
	r := busyRecorder(t)
	h := handlerOf(t, r, Options{TraceURL: "http://jaeger.example/trace/{trace_id}"})
	page := ask(h, "/?window=1h&tool=search").Body.String()
	links := 0
	wellFormed(t, page, func(e xml.StartElement) {
		for _, name := range []string{"href", "src", "action"} {
			to := attribute(e, name)
			switch {
			case to == "" || strings.HasPrefix(to, "#"):
			case strings.HasPrefix(to, "http://jaeger.example/trace/"):
				if attribute(e, "rel") != "noreferrer" || e.Name.Local != "a" {
					t.Errorf("<%s %v>: want a link that sends no referrer", e.Name.Local, e.Attr)
				}
			case strings.Contains(to, ":") || strings.HasPrefix(to, "/"):
				t.Errorf("<%s %s=%q>: want a relative link", e.Name.Local, name, to)
			default:
				links++
				to, _, _ = strings.Cut(to, "#")
				if w := ask(h, "/"+to); w.Code != 200 {
					t.Errorf("%q: got %d", to, w.Code)
				}
			}
		}
	})
	if links < 30 {
		t.Errorf("got %d links, want those of the whole page", links)
	}
}

// What screen readers and keyboards need is there.
func TestPageIsAccessible(t *testing.T) {
	page := pageOf(t, busyRecorder(t), "/?call=50")
	tables, captions, plots, before, ids := 0, 0, 0, "", make(map[string]bool)
	wellFormed(t, page, func(e xml.StartElement) {
		if before == "svg" && e.Name.Local != "title" {
			t.Errorf("a plot begins with <%s>, want its title", e.Name.Local)
		}
		before = e.Name.Local
		switch e.Name.Local {
		case "html":
			if attribute(e, "lang") == "" {
				t.Error("the page does not say its language")
			}
		case "table":
			tables++
		case "caption":
			captions++
		case "svg":
			plots++
			if attribute(e, "role") != "img" {
				t.Errorf("<svg %v>: want the role img", e.Attr)
			}
		case "th":
			if attribute(e, "scope") == "" {
				t.Errorf("<th %v>: want a scope", e.Attr)
			}
		case "div":
			if attribute(e, "role") == "region" && (attribute(e, "tabindex") != "0" || attribute(e, "aria-labelledby")+attribute(e, "aria-label") == "") {
				t.Errorf("<div %v>: a region that scrolls wants a name and the keyboard's focus", e.Attr)
			}
		}
		if id := attribute(e, "id"); id != "" {
			if ids[id] {
				t.Errorf("id %q is there twice", id)
			}
			ids[id] = true
		}
	})
	if tables < 3 || captions != tables || plots < 10 {
		t.Errorf("got %d tables with %d captions, and %d plots", tables, captions, plots)
	}
	for _, m := range regexp.MustCompile(`aria-labelledby="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("nothing has the id %q that a name refers to", m[1])
		}
	}
}

// Figures of unused policies are left out.
func TestPageShowsWhatIsInUse(t *testing.T) {
	tool := &toolkit.Definition{Name: "search"}
	for _, c := range []struct {
		text   string
		change func(*toolkit.Ended)
	}{
		{"Answered without a run", with(toolkit.OutcomeCacheHit)},
		{">Refused<", with(toolkit.OutcomeRefused)},
		{"Waiting, p95", func(e *toolkit.Ended) { e.Disposition.Queue = time.Second }},
		{">Retries<", func(e *toolkit.Ended) { e.Disposition.Attempts = 2 }},
		{">Repeats<", func(e *toolkit.Ended) { e.Disposition.Repeat = 1 }},
	} {
		r := newRecorder(t)
		record(r, call(tool, time.Millisecond))
		if strings.Contains(pageOf(t, r, "/"), c.text) {
			t.Errorf("%q is shown though it is unused", c.text)
		}
		record(r, call(tool, time.Millisecond, c.change))
		if !strings.Contains(pageOf(t, r, "/"), c.text) {
			t.Errorf("%q is not shown though it is used", c.text)
		}
	}
}

func TestPageWithoutCalls(t *testing.T) {
	page := pageOf(t, newRecorder(t), "/")
	for _, want := range []string{"No calls in this window yet", "No errors in this window", "No sessions"} {
		if !strings.Contains(page, want) {
			t.Errorf("got no %q", want)
		}
	}
	wellFormed(t, page, func(xml.StartElement) {})
	pageOf(t, newRecorder(t), "/?tool=unknown&call=7&window=total&session=x")
	past := pageOf(t, newRecorder(t), "/?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z")
	if strings.Contains(past, "data-stream") || !strings.Contains(past, "2020-01-01") {
		t.Error("a window that is over wants its bounds, and no live events")
	}
}

func TestPageShowsTheWaterfall(t *testing.T) {
	r := busyRecorder(t)
	id := hex.EncodeToString(append([]byte{7}, make([]byte, 15)...))
	span := hex.EncodeToString(append([]byte{7}, make([]byte, 7)...))
	begin := time.Now()
	spans := fixedTraces{id: {
		{SpanID: span, ParentID: "1", Name: "execute_tool search", Start: begin.Add(time.Second), End: begin.Add(2 * time.Second),
			Attributes: []stats.SpanAttribute{{Key: "gen_ai.tool.call.arguments", Value: `{"q":"<script>"}`}}},
		{SpanID: "1", Name: "invoke_agent \x1b[31m", Start: begin, End: begin.Add(3 * time.Second), Failed: true},
	}}
	page := pageOf(t, r, "/?call=7", Options{Traces: spans})
	agent, tool := strings.Index(page, `invoke_agent \x1b[31m`), strings.Index(page, "execute_tool search")
	if agent < 0 || tool < agent || !strings.Contains(page, `class="here"`) || !strings.Contains(page, `{&#34;q&#34;:&#34;&lt;script&gt;&#34;}`) {
		t.Errorf("got the agent at %d and its tool at %d", agent, tool)
	}
	if page := pageOf(t, r, "/?call=8", Options{Traces: spans}); !strings.Contains(page, "not in the ring") {
		t.Error("a call whose trace is not there: want that said")
	}
	if page := pageOf(t, r, "/?call=99999"); !strings.Contains(page, "is not kept any more") {
		t.Error("a call that is gone: want that said")
	}
}

// Every class that the page uses has its rules, and the script asks for nothing that is
// not there.
func TestAssets(t *testing.T) {
	css, err := os.ReadFile("../../internal/statspage/dashboard.css")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(css), "url(") || strings.Contains(string(css), "@import") {
		t.Error("the style sheet loads something")
	}
	if open, shut := strings.Count(string(css), "{"), strings.Count(string(css), "}"); open != shut {
		t.Errorf("the style sheet opens %d braces and shuts %d", open, shut)
	}
	js, err := os.ReadFile("dashboard.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"innerHTML = ", "eval(", "document.write", "insertAdjacentHTML"} {
		if strings.Contains(string(js), never) {
			t.Errorf("the script has %s", never)
		}
	}
	page := pageOf(t, newRecorder(t), "/")
	for _, m := range regexp.MustCompile(`getElementById\('([a-z]+)'\)`).FindAllStringSubmatch(string(js), -1) {
		if !strings.Contains(page, fmt.Sprintf(`id="%s"`, m[1])) {
			t.Errorf("the script looks for %q, which the page does not have", m[1])
		}
	}
}

func BenchmarkPage(b *testing.B) {
	h := handlerOf(b, busyRecorder(b))
	for b.Loop() {
		if w := ask(h, "/"); w.Code != 200 {
			b.Fatal(w.Code)
		}
	}
}

// TestDashboardShowsSomeOfManyTools: the page has rows for so many tools and for the one it is
// about, and says how many more there are.
func TestDashboardShowsSomeOfManyTools(t *testing.T) {
	const maxTools = 200
	r := newRecorder(t, stats.Options{MaxTools: 1000})
	for i := range 2 * maxTools {
		record(r, call(&toolkit.Definition{Name: fmt.Sprintf("tool%03d", i)}, time.Millisecond))
	}
	h := handlerOf(t, r)
	last := fmt.Sprintf("tool%03d", 2*maxTools-1)
	for path, rows := range map[string]int{"/?sort=name": maxTools, "/?sort=name&tool=" + last: maxTools + 1} {
		page := ask(h, path).Body.String()
		if got := strings.Count(page, `id="tool-tool`); got != rows {
			t.Errorf("%s: got %d rows, want %d", path, got, rows)
		}
		if want := fmt.Sprint(2*maxTools-rows, " more tools"); !strings.Contains(page, want) {
			t.Errorf("%s: want %q", path, want)
		}
	}
}
