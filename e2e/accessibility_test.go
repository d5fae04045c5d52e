// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// violations lists what axe-core finds in the page, with its rules and its best practices: names of controls,
// headings, landmarks, tables, roles.
const violations = `(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + ` +
	`" " + n.html.slice(0, 80)).join("; ")).join("\n"))`

// TestDashboardAccessible runs axe-core over each view of the demo, in light colours. TestDashboardOnAPhone checks the
// contrast of dark ones, and TestDashboardByKeyboard the order of the focus.
func TestDashboardAccessible(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	page := browse(t, chromium, serveDemo(t, "--rate", "0", "--jaeger", "http://localhost:16686"))
	page.shows(`true`)
	page.loadAxe()
	show := func(change string) {
		page.text(`delete document.getElementById("main").dataset.loaded; ` + change + `, ""`)
		page.shows(`document.querySelector("#main > *") !== null`)
	}
	for _, view := range []struct{ open, click string }{
		{"/?window=total", ""}, {"/?window=total&tool=report_export", ""},
		{"/?window=total&tool=report_export", `#errors-card a[href*="group="]`},
		{"/?view=sessions", `#sessions-card a[href*="session="]`}, {"/?view=calls&tool=report_export", ""},
		{"/?call=1", `.links a[href*="trace="]`}, {"/?view=tools", `#categories a[href*="category=files"]`}, {"/?view=approvals", ""}, {"/?view=health", ""},
	} {
		// The page changes its view without being loaded again: a script of this size is costly to read each time.
		show(`history.pushState(null, "", "` + view.open + `"); dispatchEvent(new PopStateEvent("popstate"))`)
		if view.click != "" {
			show(`document.querySelector('` + view.click + `').click()`)
		}
		if got := page.accessible(); got != "none" {
			t.Errorf("%s %s:\n%s", view.open, view.click, got)
		}
	}
}

// loadAxe loads axe-core into the page.
func (b *browser) loadAxe() {
	b.t.Helper()
	script, err := os.ReadFile(filepath.Join(npmPackages(b.t), "axe-core", "axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.text(string(script) + `; ""`)
}

// accessible is what axe-core finds in the page, "none" for nothing.
func (b *browser) accessible() string {
	b.t.Helper()
	b.text(`window.found = undefined; axe.run(document, {preload: false, resultTypes: ["violations"]})` +
		`.then(r => { window.found = ` + violations + `(r) || "none" }, e => { window.found = String(e) }), ""`)
	b.wait(`window.found !== undefined`)
	return b.text(`window.found`)
}
