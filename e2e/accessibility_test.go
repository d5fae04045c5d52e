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
const violations = `(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + n.html.slice(0, 80)).join("; ")).join("\n"))`

// TestDashboardAccessible runs axe-core over each view of the demo. Contrast, which takes axe-core long, is checked by
// TestDashboardOnAPhone, and the order of the focus by TestDashboardByKeyboard.
func TestDashboardAccessible(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	script, err := os.ReadFile(filepath.Join(npmPackages(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	page := browse(t, chromium, serveDemo(t, "--rate", "0", "--jaeger", "http://localhost:16686"))
	origin := page.text(`location.origin`)
	for _, view := range []struct{ open, click string }{
		{"/?window=total", ""}, {"/?window=total&tool=report_export", ""}, {"/?window=total&tool=report_export", `#errors-card a[href*="group="]`},
		{"/?view=sessions", `#sessions-card a[href*="session="]`}, {"/?view=calls&tool=report_export", ""},
		{"/?call=1", `.links a[href*="trace="]`}, {"/?view=approvals", ""}, {"/?view=health", ""},
	} {
		page.open(origin + view.open)
		page.shows(`document.querySelector("#main > *") !== null`)
		if view.click != "" {
			page.click(view.click)
			page.shows(`document.querySelector(".focus, #session-h") !== null`)
		}
		page.text(string(script) + `; axe.run(document, {preload: false, resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}})` +
			`.then(r => { window.found = ` + violations + `(r) || "none" }, e => { window.found = String(e) }), ""`)
		page.wait(`window.found !== undefined`)
		if got := page.text(`window.found`); got != "none" {
			t.Errorf("%s %s:\n%s", view.open, view.click, got)
		}
	}
}
