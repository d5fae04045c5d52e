// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"embed"
	"strings"

	"github.com/toolscope/toolscope/internal/display"
)

// web is only referred to by functions, so that a program that shows no page does not contain it.
//
//go:embed web/index.html web/page.css web/*.js web/icon.svg
var web embed.FS

// modules are the page's scripts, each after those that it imports.
func modules() []string {
	return []string{
		"uplot.min.js", "dom.js", "format.js", "api.js", "table.js", "tree.js", "plot.js", "waterfall.js", "parts.js",
		"call.js", "lists.js", "overview.js", "health.js", "registered.js", "workflows.js", "report.js", "main.js",
	}
}

func file(name string) string {
	text, err := web.ReadFile("web/" + name)
	if err != nil {
		panic("statspage: " + err.Error()) // the compiler embedded it
	}
	return string(text)
}

// Style returns the style sheet.
func Style() string { return file("page.css") }

// Script returns all modules as one. Their imports are lines of their own; what they export has a name
// that no other module uses.
func Script() string {
	var b strings.Builder
	for _, name := range modules() {
		for line := range strings.Lines(file(name)) {
			if !strings.HasPrefix(line, "import ") {
				b.WriteString(strings.TrimPrefix(line, "export "))
			}
		}
	}
	return b.String()
}

// iconURL is the icon as a URL, so that the page needs no request for it.
func iconURL() string {
	encode := strings.NewReplacer("\n", "", "#", "%23", `"`, "'", "<", "%3C", ">", "%3E")
	return "data:image/svg+xml," + encode.Replace(file("icon.svg"))
}

// Index returns the page that loads Style and Script from assets/page.css and assets/page.js.
func Index(title string) string {
	return page(title, `<link rel="stylesheet" href="assets/page.css">`,
		`<script type="module" src="assets/page.js"></script>`,
		`<noscript><p>This page needs JavaScript. Without it, read the tables as plain text:</p>`+
			`<ul><li><a href="api/v1/summary.txt">The last five minutes</a></li>`+
			`<li><a href="api/v1/summary.txt?window=1h">The last hour</a></li>`+
			`<li><a href="api/v1/summary.txt?window=total">All calls</a></li></ul></noscript>`)
}

// page fills in the places of index.html. All but the title are HTML.
func page(title, style, script, without string) string {
	return strings.NewReplacer(
		"{title}", escapeHTML(display.Plain(title)), "{icon}", iconURL(),
		"{style}", style, "{script}", script, "{without}", without,
	).Replace(file("index.html"))
}

// escapeHTML escapes text for an element or a quoted attribute. Package html would add its 2,125 entities, 66 KB, to
// each program.
func escapeHTML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(text)
}
