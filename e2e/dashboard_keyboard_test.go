// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"slices"
	"testing"
)

// TestDashboardByKeyboard walks through the page with the keyboard in a real browser, sorts, follows links, and lets a live
// update pass by: what had the focus keeps it, and what is typed stays.
func TestDashboardByKeyboard(t *testing.T) {
	binary := program(t, "chromium", "chromium-browser", "google-chrome")
	page := browse(t, binary, serveDemo(t)+"?window=total")
	page.shows(`document.getElementById("tools-table") && document.getElementById("live").dataset.state === "live"`)
	page.noFaults()

	focused := `(e => e.id || e.getAttribute("href") || e.name || e.localName)(document.activeElement)`
	var seen []string
	for range 60 {
		page.press("Tab", 9)
		seen = append(seen, page.text(focused))
		if page.text(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			t.Errorf("the focus on %q cannot be seen", seen[len(seen)-1])
		}
	}
	if seen[0] != "#main" {
		t.Errorf("got %q first, want the link that skips to the figures", seen[0])
	}
	for _, want := range []string{"view-errors", "range-1h", "pause", "calls-chart-numbers", "tools-table", "tools-by-p99"} {
		if !slices.ContainsFunc(seen, func(id string) bool { return id == want || want == "calls-chart-numbers" && id == "summary" }) {
			t.Errorf("the tabulator does not come to %q, only to %q", want, seen)
		}
	}

	// A heading sorts, and keeps the focus.
	page.text(`document.getElementById("tools-by-name").focus(), ""`)
	page.press("Enter", 13)
	page.shows(`document.querySelector(".tools tbody th").textContent.startsWith("_unknown") && ` +
		`document.querySelector("th[aria-sort=ascending]").textContent === "Tool"`)

	// What is shown anew keeps the focus, what is open, and the order.
	page.text(`(a => { a.focus(); a.closest("tr").dataset.old = "1"; return "" })(document.querySelector('.tools ` +
		`a[href*="tool=shell_run"]'))`)
	page.text(`document.getElementById("calls-chart-numbers").open = true, ""`)
	page.text(`dispatchEvent(new Event("popstate")), ""`)
	page.shows(`document.querySelector(".tools tr[data-old]") === null`)
	if got := page.text(`document.activeElement.getAttribute("href")`); got != "?window=total&tool=shell_run" {
		t.Errorf("after an update %q has the focus, want the link that had it", got)
	}
	if got := page.text(`document.getElementById("calls-chart-numbers").open && document.querySelector(".tools ` +
		`tbody th").textContent.startsWith("_unknown")`); got != "true" {
		t.Error("after an update what was open is shut, or the order is another")
	}
	page.press("Enter", 13)
	page.shows(`location.search.includes("tool=shell_run") && document.getElementById("tool-h") !== null`)

	// A person who types is not disturbed by updates.
	page.text(`document.getElementById("view-calls").focus(), ""`)
	page.press("Enter", 13)
	page.shows(`document.getElementById("filter") !== null`)
	page.text(`document.querySelector("input[name=session]").focus(), ""`)
	page.press("x", 88)
	was := page.text(`document.getElementById("main").dataset.loaded`)
	page.shows(`Number(document.getElementById("main").dataset.loaded) > ` + was) // an update has passed
	if got := page.text(`document.activeElement.name + "=" + document.activeElement.value`); got != "session=x" {
		t.Errorf("while typing an update made it %q", got)
	}
	page.noFaults()
}
