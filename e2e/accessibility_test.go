// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// violations lists what axe-core finds in the page, with its rules and its best practices: names of controls, contrast,
// headings, landmarks, tables, roles.
const violations = `(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + n.html.slice(0, 80)).join("; ")).join("\n"))`

// TestDashboardAccessible runs axe-core over each view of the demo: wide and light, and as on a phone and dark.
func TestDashboardAccessible(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	script, err := os.ReadFile(filepath.Join(npmPackages(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	page := browse(t, chromium, serveDemo(t, "--rate", "0", "--jaeger", "http://localhost:16686"))
	origin := page.text(`location.origin`)
	for _, kind := range []struct {
		scheme string
		width  int
	}{{"light", 1280}, {"dark", 400}} {
		page.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": kind.scheme}}})
		page.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": kind.width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
		for _, view := range []struct{ open, click string }{
			{"/?window=total", ""}, {"/?window=total&tool=report_export", ""}, {"/?window=total&tool=report_export", `#errors-card a[href*="group="]`},
			{"/?view=errors", ""}, {"/?view=sessions", `#sessions-card a[href*="session="]`}, {"/?view=calls", ""}, {"/?call=1", ""},
			{"/?call=1", `.links a[href*="trace="]`}, {"/?view=approvals", ""}, {"/?view=health", ""},
		} {
			page.open(origin + view.open)
			page.shows(`document.querySelector("#main > *") !== null`)
			if view.click != "" {
				page.click(view.click)
				page.shows(`document.querySelector(".focus, #session-h") !== null`)
			}
			page.text(string(script) + `; axe.run(document).then(r => { window.found = ` + violations + `(r) || "none" }, e => { window.found = String(e) }), ""`)
			page.wait(`window.found !== undefined`)
			if got := page.text(`window.found`); got != "none" {
				t.Errorf("%s, %d pixels, %s %s:\n%s", kind.scheme, kind.width, view.open, view.click, got)
			}
		}
	}
}
