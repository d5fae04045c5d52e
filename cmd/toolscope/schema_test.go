// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
)

const recordingSchema = "../../docs/recording.schema.json"

// The documented schema has the members of the lines, and accepts what is written.
func TestRecordingSchema(t *testing.T) {
	var schema struct{ Properties map[string]any }
	text, err := os.ReadFile(recordingSchema)
	if err == nil {
		err = json.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	record := reflect.TypeFor[calllog.Record]()
	for i := range record.NumField() {
		name, _, _ := strings.Cut(record.Field(i).Tag.Get("json"), ",")
		if schema.Properties[name] == nil {
			t.Errorf("%s: got no member %q, want it", recordingSchema, name)
		}
	}
	if got, want := len(schema.Properties), record.NumField(); got != want {
		t.Errorf("got %d members, want the %d of a line", got, want)
	}
	compiled, err := jsonschema.NewCompiler().Compile(recordingSchema)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log, config := filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "policies.yaml")
	if err := os.WriteFile(config, []byte("policies: {recover: {}, limit: {}, loop: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, recording := recordEndings(t, log, config)
	for _, path := range []string{log, recording} {
		lines := linesOf(t, path)
		for _, line := range lines {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err == nil {
				err = compiled.Validate(value)
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if len(lines) < 6 {
			t.Errorf("%s: got %d lines, want those of three calls", path, len(lines))
		}
	}
}

// recordEndings records calls that end in different ways.
func recordEndings(t *testing.T, log, config string) (dir, file string) {
	t.Helper()
	call := callOf("1", "echo", `{"text":"hello"}`)
	return record(t, call+strings.Replace(call, `"id":1`, `"id":2`, 1)+callOf("3", "none", `{"token":"`+aSecret()+`"}`),
		"--log", log, "--log-methods", "--config", config)
}
