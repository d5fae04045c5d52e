// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigCommand(t *testing.T) {
	dir := t.TempDir()
	good, refused, bad := filepath.Join(
		dir,
		"good.yaml",
	), filepath.Join(
		dir,
		"refused.yaml",
	), filepath.Join(
		dir,
		"bad.yaml",
	)
	for path, text := range map[string]string{
		good: "policies: {loop: {}}\n", refused: "policies: {retry: {attempts: -3}}\n",
		bad: "policies:\n  lop: {}\n  timeout: {default: 30}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr []string
	}{
		{[]string{good}, exitOK, good + ": OK\n", nil},
		{
			[]string{good, bad}, exitError, good + ": OK\n",
			[]string{
				bad + ":2: policies.lop: got an unknown field",
				bad + `:3: policies.timeout.default: got "30", want a time`,
			},
		},
		{
			[]string{refused}, exitError, "",
			[]string{refused + ":1: policies.retry: retry: Options.Attempts: got -3, want 1 to 100"},
		},
		{[]string{filepath.Join(dir, "none")}, exitError, "", []string{"toolscope config: open ", "none"}},
		{nil, exitUsage, "", []string{"got 0 files"}},
		{[]string{"--schema", good}, exitUsage, "", []string{"--schema alone"}},
	} {
		var out, errs bytes.Buffer
		code := run(append([]string{"config"}, c.args...), strings.NewReader(""), &out, &errs)
		if code != c.code || out.String() != c.stdout {
			t.Errorf("%q: got %d, %q, want %d, %q", c.args, code, out.String(), c.code, c.stdout)
		}
		for _, want := range c.stderr {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("%q: got %s\nwant %q in it", c.args, errs.String(), want)
			}
		}
	}
	var out bytes.Buffer
	if code := run([]string{"config", "--schema"}, strings.NewReader(""), &out, &out); code != exitOK ||
		!json.Valid(out.Bytes()) {
		t.Errorf("--schema: got %d", code)
	}
}
