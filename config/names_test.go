// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
)

// TestMisspeltNamesAreErrors checks names that would be without effect.
func TestMisspeltNamesAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"policies: {retry: {on: [timeot]}}": `policies.retry: retry: ` +
			`Options.On[0]: got "timeot", want one of timeout, canceled, panic, `,
		"policies: {breaker: {on: [timeout, Panic]}}": `policies.breaker: breaker: ` +
			`Options.On[1]: got "Panic", want one of timeout, canceled, panic, `,
		"policies: {retry: {on_types: [timed out]}}": `policies.retry: retry: ` +
			`Options.OnTypes[0]: got "timed out", want `,
		"tools: {\"\": {enabled: false}}": `tools: got the name "", want a name ` +
			`without blanks at its ends`,
		"tools: {\"wipe \": {enabled: false}}": `tools: got the name "wipe ", want a ` +
			`name without blanks at its ends`,
		"policies: {timeout: {tools: {\" a\": 1s}}}": `policies.timeout.tools: got the name ` +
			`" a", want a name without blanks at its ends`,
		"policies: {timeout: {abandon: [\"a\\t\"]}}": `policies.timeout.abandon[0]: got ` +
			`"a\t", want a name without blanks at its ends`,
		"policies: {limit: {exempt: [\"\"]}}": `policies.limit.exempt[0]: got "", ` +
			`want a name without blanks at its ends`,
		"policies: {approve: {patterns: [{tool: \" deploy\", approver: ada}]}}": `policies.approve.patterns[0].tool: ` +
			`got " deploy", want a name without blanks at its ends`,
	} {
		if err := config.Check("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{
		"policies: {retry: {on: [timeout, _OTHER, tool_error]}}", "policies: {retry: {on_types: [throttled]}}",
		"policies: {breaker: {on_types: [no_disk]}}", "policies: {retry: {}}",
	} {
		if err := config.Check("f.yaml", []byte(text)); err != nil {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestNamesOfToolsTurnedOffAreChecked gives names that no tool can have to New and Apply.
func TestNamesOfToolsTurnedOffAreChecked(t *testing.T) {
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", " ", "q ", "\tq"} {
		n := toolscope.Settings{ToolsOff: []string{"wipe", name}}
		const want = "Settings.ToolsOff[1]: got "
		if err := scope.Apply(n); err == nil || !strings.HasPrefix(err.Error(), "toolscope: "+want) {
			t.Errorf("Apply: %q: got %v, want %s", name, err, want)
		}
		if _, err := toolscope.New(toolscope.Options{Settings: n}); err == nil ||
			!strings.HasPrefix(err.Error(), "toolscope: Options."+want) {
			t.Errorf("New: %q: got %v, want %s", name, err, want)
		}
	}
	if off := scope.Settings().ToolsOff; len(off) != 0 {
		t.Errorf("got %q turned off, want none", off)
	}
}
