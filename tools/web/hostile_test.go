// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

// TestHostilePages reads pages that took minutes, or all memory, when they were handed to the
// parser and the libraries as they are.
func TestHostilePages(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, (512<<10)/len(s)) }
	tools := toolset(t, web.Options{})
	for name, page := range map[string]string{
		"lists in lists":   strings.Repeat("<ul><li>", 200) + fill("<li>x\n"),
		"tables in tables": strings.Repeat("<table><tr><td>", 120) + fill("x "),
		"wide cells":       "<table>" + fill("<tr><td colspan=1000 rowspan=60000>x"),
		"never closed":     fill("<p><b><i>"),
		"deep":             strings.Repeat("<div>", 400) + fill("<p>a, b, c, d</p>"),
	} {
		at := serve(t, "text/html", page)
		for _, format := range []string{"markdown", "tables"} {
			res := fetch(t, tools, at, object{"format": format})
			if len(res.Output) > 70_000 {
				t.Errorf("%s as %s: got %d bytes", name, format, len(res.Output))
			}
			if format == "markdown" && (res.Fault != nil || !strings.Contains(res.Output, "parts of it are missing")) {
				t.Errorf("%s as %s: got %.300s, want what is missing told", name, format, res.Output)
			}
		}
	}
	// An ordinary page of some size, with the ends of elements left out as people do, is read whole.
	long := "<table>" + strings.Repeat("<tr><td>pear<td>1.20", 2000) + "</table><ul>" +
		strings.Repeat("<li><a href=x>plum</a>", 2000) + "</ul><p>the very end"
	for _, format := range []string{"markdown", "text"} {
		res := fetch(t, toolset(t, web.Options{MaxText: 1 << 20}), serve(t, "text/html", long), object{"format": format})
		if res.Fault != nil || !strings.Contains(res.Output, "the very end") || strings.Contains(res.Output, "missing") {
			t.Errorf("%s: got %d bytes, want the whole page: %.100s", format, len(res.Output), res.Output)
		}
	}
}

func TestPanicOverAPage(t *testing.T) {
	var value *toolkit.PanicError
	if err := web.Broken(); !errors.Is(err, toolkit.ErrTool) || !errors.As(err, &value) ||
		!strings.Contains(err.Error(), "want another") {
		t.Errorf("got %v, want a failure that keeps the panic", err)
	}
}

// FuzzPage checks that a page is text in every format, or an error of the tools' own.
func FuzzPage(f *testing.F) {
	f.Add(orchard)
	f.Add("<table><tr><td rowspan=3 colspan=2>a<td>b<tr><td>c</table><table><caption>x<tr><th>y")
	f.Add("<base href='//x'><a href='?q'>l</a><meta property=og:title content=t><ul><li>a<ol><li>b<pre> c")
	f.Add("<svg><script><![CDATA[x]]></script></svg><template><p>t</template><frameset>")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 10_000 {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		for _, format := range web.Formats {
			content, err := web.Content(text, format)
			var own *toolkit.Error
			if err != nil && !errors.As(err, &own) {
				t.Errorf("%s: got %v, want an error of the tools", format, err)
			}
			if !utf8.ValidString(content) {
				t.Errorf("%s: got text that is no UTF-8", format)
			}
		}
	})
}
