// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDashboardByKeyboard walks through the page with the tabulator in a real
// browser, follows a link, and lets a live update pass by: what had the focus keeps
// it.
func TestDashboardByKeyboard(t *testing.T) {
	binary := program(t, "chromium", "chromium-browser", "google-chrome")
	demo := serveDemo(t)
	page := browse(t, binary, demo+"?window=total")

	page.wait(`document.getElementById("live").dataset.state === "live"`)
	var seen []string
	for range 60 {
		page.press("Tab", 9)
		seen = append(
			seen,
			page.text(
				`(e => e.id || e.getAttribute("href") || e.name || e.getAttribute("aria-labelledby") || `+
					`e.tagName)(document.activeElement)`,
			),
		)
		if page.text(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			t.Errorf("the focus on %q cannot be seen", seen[len(seen)-1])
		}
	}
	if seen[0] != "#main" {
		t.Errorf("got %q first, want the link that skips to the figures", seen[0])
	}
	for _, want := range []string{"?window=1h", "pause", "tools-h", "tool-shell_run"} {
		if !slices.Contains(seen, want) {
			t.Errorf("the tabulator does not come to %q, only to %q", want, seen)
		}
	}

	// The script exchanges a section that has the focus in it, and gives it back.
	page.text(`document.getElementById("tool-shell_run").focus(), ""`)
	page.text(
		`(s => { s.querySelector("caption").textContent += "!"; s.dataset.old = "1"; return "" ` +
			`})(document.getElementById("tools"))`,
	)
	page.text(`document.getElementById("pause").click(), ""`) // pause and resume fetch the page anew
	page.text(`document.getElementById("pause").click(), ""`)
	page.wait(`document.getElementById("tools").dataset.old === undefined`)
	if got := page.text(`document.activeElement.id`); got != "tool-shell_run" {
		t.Errorf("after a live update %q has the focus, want the link that had it", got)
	}
	page.press("Enter", 13)
	page.wait(`location.search.includes("tool=shell_run") && document.getElementById("tool-h") !== null`)

	// A person who types is not disturbed by updates.
	page.text(`document.querySelector("input[name=session]").focus(), ""`)
	page.press("x", 88)
	page.text(`document.getElementById("pause").click(), document.getElementById("pause").click(), ""`)
	time.Sleep(500 * time.Millisecond) // nothing to wait for: nothing is to happen
	if got := page.text(`document.activeElement.name + "=" + document.activeElement.value`); !strings.HasPrefix(
		got,
		"session=",
	) {
		t.Errorf("while typing an update took the focus to %q", got)
	}
}
