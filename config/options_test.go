// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// TestOptionsOfTheApplicationWin checks which options stay and which the file completes. Settings are merged.
func TestOptionsOfTheApplicationWin(t *testing.T) {
	dir := t.TempDir()
	const text = "audit: {file: audit.jsonl}\npolicies: {loop: {}}\ntools: {x: {enabled: false}}\n"
	file, err := config.Open(write(t, dir, text))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	none := file.Options(toolscope.Options{})
	if none.Redactor != file.Redactor() || len(none.Observers) != 1 || len(none.Settings.Policies) != 1 ||
		!slices.Equal(none.Settings.ToolsOff, []string{"x"}) {
		t.Errorf("got %+v, want the file's redactor, audit log, policy and disabled tool", none)
	}
	own, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		t.Fatal(err)
	}
	recorder := new(tooltest.Recorder)
	o := toolscope.Options{
		Redactor:  own,
		Observers: append(make([]toolkit.Observer, 0, 4), recorder),
		Settings:  toolscope.Settings{ToolsOff: []string{"y"}},
		NoTracing: true, ApprovalsToken: "a-token-for-tests",
	}
	got := file.Options(o)
	if got.Redactor != own || !got.NoTracing || got.ApprovalsToken != o.ApprovalsToken {
		t.Errorf("got %+v, want the application's redactor, switch and token", got)
	}
	if len(got.Observers) != 2 || got.Observers[0] != none.Observers[0] || got.Observers[1] != recorder {
		t.Errorf("got observers %v, want the file's log before the application's", got.Observers)
	}
	if len(got.Settings.Policies) != 1 || !slices.Equal(got.Settings.ToolsOff, []string{"x", "y"}) {
		t.Errorf("got settings %+v, want the file's policy and disabled tool, and the application's tool", got.Settings)
	}
	if len(o.Observers) != 1 || o.Observers[0] != recorder {
		t.Error("the application's options were changed")
	}
}

// TestSettingsOfFileAndApplicationAreMerged checks that of two switches the safer one is in force.
func TestSettingsOfFileAndApplicationAreMerged(t *testing.T) {
	for _, c := range []struct {
		text           string
		own            toolscope.Settings
		off, noContent bool
	}{
		{"content: false", toolscope.Settings{ToolsOff: []string{"y"}}, false, true},
		{"content: true", toolscope.Settings{NoContent: true}, false, true},
		{"enabled: true", toolscope.Settings{Off: true}, false, false}, // governed is safer than not
		{"enabled: false", toolscope.Settings{NoContent: true}, true, true},
		{"{}", toolscope.Settings{Off: true}, true, false},
	} {
		file, err := config.OpenText("f.yaml", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		got := file.Options(toolscope.Options{Settings: c.own}).Settings
		if got.Off != c.off || got.NoContent != c.noContent {
			t.Errorf("%s with %+v: got off %t, no content %t", c.text, c.own, got.Off, got.NoContent)
		}
	}
}
