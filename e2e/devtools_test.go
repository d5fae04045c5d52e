// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestExportedArchiveInDevTools has the developer tools of Chromium read an archive, with
// the importer that their network panel uses.
func TestExportedArchiveInDevTools(t *testing.T) {
	chromium := program(t, "chromium", "chromium-browser", "google-chrome")
	file := filepath.Join(t.TempDir(), "calls.har")
	export(t, command(t), "-o", file, exportedLog(t, 100, time.Hour))
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := browse(t, chromium, "devtools://devtools/bundled/devtools_app.html?panel=network")
	page.text(
		`globalThis.har = null; import("./models/har/har.js").then(m => { globalThis.har = m }, e => { ` +
			`globalThis.har = String(e) }), ""`,
	)
	page.wait(`globalThis.har !== null`)
	found := page.text(`(archive => {
		const requests = har.Importer.Importer.requestsFromHARLog(new har.HARFormat.HARRoot(archive).log);
		globalThis.requests = requests;
		const pick = name => requests.find(r => r.name() === name);
		return JSON.stringify({
			all: requests.length,
			names: [...new Set(requests.map(r => r.name()))].sort(),
			statuses: [...new Set(requests.map(r => r.statusCode))].sort(),
			seconds: pick("search").duration,
			method: pick("read_file").requestMethod,
			failed: pick("search").statusText,
			mimeType: pick("read_file").mimeType,
		});
	})(` + string(archive) + `)`)
	page.text(
		`globalThis.body = ""; requests.find(r => r.name() === "read_file").requestContentData().then(d => { ` +
			`globalThis.body = d.text }), ""`,
	)
	page.wait(`globalThis.body !== ""`)

	var got, want map[string]any
	if err := json.Unmarshal([]byte(found), &got); err != nil {
		t.Fatalf("got %s: %v", found, err)
	}
	const expected = `{"all":101,"names":["read_file","search","traced"],"statuses":[200,504],"seconds":0.9,` +
		`"method":"POST","failed":"timeout","mimeType":"application/json"}`
	if err := json.Unmarshal([]byte(expected), &want); err != nil {
		t.Fatal(err)
	}
	if s, ok := got["seconds"].(float64); ok && s > 0.899 && s < 0.901 {
		got["seconds"] = 0.9
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", found, expected)
	}
	if body := page.text(`globalThis.body`); body != `{"lines":["<b>&amp;",0]}` {
		t.Errorf("the result of a call is %q", body)
	}
}
