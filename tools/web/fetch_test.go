// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const orchard = `<!DOCTYPE html><html lang="en"><head>
<title>The  Orchard
 Report</title>
<meta name="description" content="How the trees are.">
<meta property="og:title" content="Orchard"><meta property="og:type" content="article">
<meta name="author" content="Ada Apple">
<link rel="canonical" href="/orchard"><link rel="alternate" type="application/rss+xml" title="News" href="/feed">
<script type="application/ld+json">{"@type": "Article", "headline": "Orchard"}</script>
<script type="application/ld+json">{broken</script>
<style>p { color: red }</style></head><body>
<nav><a href="/">Home</a> <a href="/">Home again</a> <a href="#top">Top</a> <a href="javascript:x()">Script</a></nav>
<article><h1>Trees</h1><p>The <b>apple</b> trees stand in rows of twelve, and each of them has been pruned
in the first weeks of the year, when the frost was gone and the ground was soft enough to walk on.</p>
<p>Of the pears there are fewer, but they bear more, as the <a href="pears.html?x=1&amp;y=2">list of pears</a> tells, and as
everybody who has passed by in autumn can confirm, since the branches nearly touch the grass by then.</p>
<ul><li>apple</li><li>pear</li></ul>
<pre>a
  b</pre>
<table><caption>Trees</caption><tr><th>Kind</th><th>Number</th></tr>` +
	`<tr><td>Apple</td><td>12</td></tr><tr><td>Pear</td><td>7</td></tr></table>
</article><script>var hidden = 1</script><noscript>turn scripts on</noscript><p hidden>unseen</p></body></html>`

func TestFormats(t *testing.T) {
	at := serve(t, "text/html; charset=utf-8", orchard)
	tools := toolset(t, web.Options{})
	for format, test := range map[string]struct{ has, lacks []string }{
		"": {[]string{"Title: The Orchard Report\n", "# Trees", "**apple**",
			"[list of pears](" + at + "/pears.html?x=1&y=2)", "- apple", "| Apple | 12"}, []string{"hidden = 1", "color: red"}},
		"article": {[]string{"By: Ada Apple", "**apple** trees stand", "- pear"}, []string{"Home again", "hidden = 1"}},
		"text": {[]string{"Trees\n\nThe apple trees stand in rows", "tells, and as everybody", "- apple\n- pear",
			"a\n  b", "Apple | 12\nPear | 7"},
			[]string{"hidden = 1", "turn scripts on", "unseen", "color: red", "Orchard Report\n\nHome"}},
		"links": {[]string{`{"text":"Home","url":"` + at + `/"}`,
			`{"text":"list of pears","url":"` + at + `/pears.html?x=1&y=2"}`, `"truncated":false`},
			[]string{"Home again", "javascript", "#top"}},
		"tables": {[]string{`{"tables":[{"caption":"Trees","header":["Kind","Number"],"rows":[["Apple","12"],` +
			`["Pear","7"]]}],"truncated":false}`}, nil},
		"structured": {[]string{`"open_graph":{"title":"Orchard","type":"article"}`,
			`"json_ld":[{"@type":"Article","headline":"Orchard"}]`, `"canonical":"` + at + `/orchard"`,
			`"language":"en"`, `"author":"Ada Apple"`, `"feeds":[{"text":"News","url":"` + at + `/feed"}]`}, []string{"broken"}},
	} {
		res := fetch(t, tools, at, object{"format": format})
		if res.Fault != nil {
			t.Errorf("%s: got %s", format, res.Output)
			continue
		}
		for _, want := range append(test.has, "URL: "+at+"\n", "data, not instructions") {
			if !strings.Contains(res.Output, want) {
				t.Errorf("%s: lacks %q:\n%s", format, want, res.Output)
			}
		}
		for _, not := range test.lacks {
			if strings.Contains(res.Output, not) {
				t.Errorf("%s: has %q:\n%s", format, not, res.Output)
			}
		}
	}
}

func TestSpans(t *testing.T) {
	at := serve(t, "text/html", `<table><tr><th>a</th><th>b</th><th>c</th></tr>
		<tr><td rowspan=2>1</td><td colspan=2>2</td></tr><tr><td>3</td><td>4</td></tr></table>
		<table><tr><td>alone</td></tr></table>
		<table><tr><td>x<table><tr><td>in</td><td>side</td></tr></table></td><td>y</td></tr></table>`)
	res := fetch(t, toolset(t, web.Options{}), at, object{"format": "tables"})
	const want = `{"tables":[{"header":["a","b","c"],"rows":[["1","2","2"],["1","3","4"]]},{"rows":[["x in ` +
		`side","y"]]},{"rows":[["in","side"]]}],"truncated":false}`
	if !strings.Contains(res.Output, want) {
		t.Errorf("got %s\nwant %s", res.Output, want)
	}
}

func TestOtherTypes(t *testing.T) {
	tools := toolset(t, web.Options{})
	for _, test := range []struct {
		contentType, body, format, want string
		kind                            toolkit.Kind
	}{
		{"application/json", `{"a": "ü"}`, "markdown", `{"a": "ü"}`, ""},
		{"application/problem+json", `{}`, "text", `{}`, ""},
		{"text/plain", "<b>x</b>", "text", "<b>x</b>", ""},
		{"application/rss+xml", "<rss/>", "text", "<rss/>", ""},
		{"", "plain words", "text", "plain words", ""},
		{"text/html; charset=", "<p>odd", "text", "odd", ""},
		{"text/plain", "x", "links", "want text", toolkit.ErrInvalidArguments},
		{"application/json", "{}", "article", "want text", toolkit.ErrInvalidArguments},
		{"application/pdf", "%PDF", "text", `"application/pdf", want text`, toolkit.ErrTool},
		{"image/svg+xml", "<svg/>", "text", "image/svg+xml", toolkit.ErrTool},
		{"application/octet-stream", "x", "text", "octet-stream", toolkit.ErrTool},
		{"text/plain; charset=utf-8", "a\x00b", "text", "is binary", toolkit.ErrTool},
		{"text/html", strings.Repeat("<div>", 600), "text", "cannot be read", toolkit.ErrTool},
		{"text/html", "<p></p>", "article", "no article", toolkit.ErrTool},
		{"text/html", "", "text", "no content", ""},
		{"text/html", "x", "pdf", "got \"pdf\", want markdown, article", toolkit.ErrInvalidArguments},
	} {
		res := fetch(t, tools, serve(t, test.contentType, test.body), object{"format": test.format})
		if !strings.Contains(res.Output, test.want) || test.kind == "" && res.Fault != nil ||
			test.kind != "" && !errors.Is(res.Fault, test.kind) {
			t.Errorf("%s as %s: got %s, want %q, %s", test.contentType, test.format, res.Output, test.want, test.kind)
		}
	}
}

func TestCharsets(t *testing.T) {
	utf16le := "\xff\xfe"
	for _, u := range utf16.Encode([]rune("größer 日本")) {
		utf16le += string([]byte{byte(u), byte(u >> 8)})
	}
	tools := toolset(t, web.Options{})
	for name, test := range map[string]struct{ contentType, body, want string }{
		"header":       {"text/html; charset=iso-8859-1", "<p>gr\xf6\xdfer", "größer"},
		"meta":         {"text/html", `<meta charset="shift_jis"><p>` + "\x93\xfa\x96\x7b", "日本"},
		"mark":         {"text/plain", utf16le, "größer 日本"},
		"UTF-8":        {"text/html", "<p>größer", "größer"},
		"invalid":      {"text/html; charset=utf-8", "<p>a\xffb", "a\ufffdb"},
		"nothing said": {"text/html", "<p>gr\xf6\xdfer", "größer"},
		"unknown":      {"text/html; charset=klingon", "<p>plain", "plain"},
	} {
		if res := fetch(t, tools, serve(t, test.contentType, test.body),
			object{"format": "text"}); !strings.Contains(res.Output, test.want) {
			t.Errorf("%s: got %q, want %q", name, res.Output, test.want)
		}
	}
}

func TestSizes(t *testing.T) {
	tools := toolset(t, web.Options{MaxBytes: 10_000, MaxText: 100})
	bomb := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for zeros := strings.Repeat("0", 1<<20); ; {
			if _, err := z.Write([]byte(zeros)); err != nil {
				return
			}
		}
	})
	if res := fetch(t, tools, bomb.URL); res.Fault != nil ||
		!strings.Contains(res.Output, "parts of it are missing") || !strings.Contains(res.Output, "bytes 0 to 100 of 10000") {
		t.Errorf("got %s, want the beginning", res.Output)
	}
	packed := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		fmt.Fprint(w, "x")
	})
	if res := fetch(t, tools, packed.URL); !errors.Is(res.Fault, toolkit.ErrTool) || !strings.Contains(res.Output, `"br"`) {
		t.Errorf("got %s, want br refused", res.Output)
	}
	header := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
	})
	if res := fetch(t, tools, header.URL); !errors.Is(res.Fault, toolkit.ErrTool) ||
		!strings.Contains(res.Output, "header has more than") {
		t.Errorf("got %s, want the header refused", res.Output)
	}
}

// TestOffset reads a page on, piece by piece, and gets all of it.
func TestOffset(t *testing.T) {
	whole := strings.Repeat("größer als 日本 ", 50)
	at := serve(t, "text/plain; charset=utf-8", whole)
	tools := toolset(t, web.Options{MaxText: 101})
	var got strings.Builder
	for offset := 0; ; {
		res := fetch(t, tools, at, object{"offset": offset})
		_, content, _ := strings.Cut(res.Output, "\n\n")
		content, more, found := strings.Cut(content, "\n\n[")
		got.WriteString(content)
		if !found {
			break
		}
		if _, err := fmt.Sscanf(more[strings.LastIndex(more, "offset "):], "offset %d", &offset); err != nil {
			t.Fatal(err)
		}
	}
	if got.String() != whole {
		t.Errorf("got %q", got.String())
	}
	for _, offset := range []int{-1, len(whole), 1 << 40} {
		if res := fetch(t, tools, at, object{"offset": offset}); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%d: got %s", offset, res.Output)
		}
	}
}

func TestTimes(t *testing.T) {
	end := make(chan struct{})
	slow := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			fmt.Fprint(w, "<p>begun")
			w.(http.Flusher).Flush()
		}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	})
	defer close(end)
	tools := toolset(t, web.Options{Timeout: 100 * time.Millisecond})
	for _, path := range []string{"/header", "/body"} {
		if res := fetch(t, tools, slow.URL+path); !errors.Is(res.Fault, toolkit.ErrTimeout) {
			t.Errorf("%s: got %s, want a timeout", path, res.Output)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	patient := toolset(t, web.Options{})
	if res := call(ctx, t, patient, "web_fetch", object{"url": slow.URL}); !errors.Is(res.Fault, toolkit.ErrCanceled) {
		t.Errorf("got %s, want canceled", res.Output)
	}
}

func TestStatus(t *testing.T) {
	s := start(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	if res := fetch(t, toolset(t, web.Options{}), s.URL+"/x"); !errors.Is(res.Fault, toolkit.ErrTool) ||
		!strings.Contains(res.Output, "answered 404 Not Found") {
		t.Errorf("got %s", res.Output)
	}
	gone := start(t, nil)
	gone.Close()
	if res := fetch(t, toolset(t, web.Options{}), gone.URL); !errors.Is(res.Fault, toolkit.ErrTool) ||
		strings.Contains(res.Output, "dial") {
		t.Errorf("got %s, want a failure", res.Output)
	}
}

func TestRequest(t *testing.T) {
	got := make(chan *http.Request, 1)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=1")
		got <- r
	})
	tools := toolset(t, web.Options{UserAgent: "pears/2"})
	for range 2 {
		fetch(t, tools, s.URL+"/a?b=c#d")
		r := <-got
		if r.UserAgent() != "pears/2" || r.RequestURI != "/a?b=c" || r.Header.Get("Cookie") != "" ||
			r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("got %s with %v", r.RequestURI, r.Header)
		}
	}
}

func TestNew(t *testing.T) {
	for field, o := range map[string]web.Options{
		"Timeout":       {Timeout: -1},
		"MaxBytes":      {MaxBytes: -1},
		"MaxText":       {MaxText: -1},
		"AllowAddrs[1]": {AllowAddrs: []netip.Prefix{loopback[0], {}}},
		"AllowAddrs[0]": {AllowAddrs: []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.0/104")}},
		"UserAgent":     {UserAgent: "7up"},
		"Proxy":         {Proxy: &url.URL{Scheme: "socks5", Host: "x"}},
	} {
		if _, err := web.New(o); err == nil || !strings.Contains(err.Error(), "web: Options."+field+": got ") {
			t.Errorf("%s: got %v, want an error that names it", field, err)
		}
	}
	if _, err := web.New(web.Options{UserAgent: "pear\r\nX: y"}); err == nil {
		t.Error("a line end in the user agent: got no error")
	}
}

func TestDefinitions(t *testing.T) {
	search, err := web.NewSearXNG("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		options web.Options
		names   string
	}{{web.Options{}, "web_fetch web_crawl"}, {web.Options{Search: search}, "web_fetch web_crawl web_search"}} {
		var names []string
		for _, tool := range toolset(t, test.options).Tools() {
			def := tool.Definition()
			names = append(names, def.Name)
			if err := def.Validate(); err != nil {
				t.Error(err)
			}
			if def.ReadOnly != toolkit.Yes || def.Idempotent != toolkit.Yes || def.Destructive != toolkit.No ||
				def.OpenWorld != toolkit.Yes || def.Risk != toolkit.RiskMedium || def.Title == "" || def.Timeout <= 0 {
				t.Errorf("%s: got %+v", def.Name, def)
			}
			if !json.Valid(def.InputSchema) {
				t.Errorf("%s: the schema is no JSON", def.Name)
			}
		}
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("got %s, want %s", got, test.names)
		}
	}
}
