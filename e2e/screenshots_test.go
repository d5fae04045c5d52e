// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"testing"
)

// TestScreenshots takes pictures of the dashboard's views over the demo, in light, dark and 400 pixels, for people to look
// at: make screenshots.
func TestScreenshots(t *testing.T) {
	if os.Getenv("TOOLSCOPE_SHOTS") == "" {
		t.Skip("TOOLSCOPE_SHOTS is not set: make screenshots takes pictures")
	}
	page := browse(t, program(t, "chromium", "chromium-browser", "google-chrome"),
		serveDemo(t, "--rate", "10", "--jaeger", "http://localhost:16686"))
	page.call("Emulation.setScrollbarsHidden", map[string]any{"hidden": true}) // a picture has no room for them
	origin := page.text(`location.origin`)
	// Retried calls come with the first outage.
	page.wait(`document.querySelector(".minor")?.textContent.includes("Retries")`)
	for _, kind := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 400}} {
		page.call("Emulation.setEmulatedMedia",
			map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": kind.scheme}}})
		for _, view := range []struct{ name, open, click string }{
			{"overview", "/", ""}, {"tool", "/?tool=stock_lookup", ""}, {"error", "/?tool=stock_lookup", `#errors-card a[href*="group="]`},
			{"session", "/?view=sessions", `#sessions-card a[href*="session="]`},
			{"call", "/?view=calls&tool=stock_lookup&policy=retry", `#calls-card a[href*="call="]`},
			{"approvals", "/?view=approvals", ""}, {"health", "/?view=health", ""},
		} {
			page.call("Emulation.setDeviceMetricsOverride",
				map[string]any{"width": kind.width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
			page.open(origin + view.open)
			page.shows(`document.querySelector("#main > *") !== null`)
			if view.click != "" {
				page.click(view.click)
				page.shows(`document.querySelector(".focus, #session-h") !== null`)
			}
			page.shows(`[...document.querySelectorAll(".chart")].every(c => c.querySelector("canvas"))`)
			picture(t, page, kind.name+"-"+view.name+".png")
		}
	}
}
