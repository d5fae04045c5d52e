// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package config_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/shell"
)

// TestAnOperatorCapsTheShellTool runs the real shell tool, whose definition allows 35 s, below the
// ceiling of a configuration file.
func TestAnOperatorCapsTheShellTool(t *testing.T) {
	tool, err := shell.New(shell.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	registry := new(toolkit.Registry)
	if err := registry.Register(tool); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"policies: {timeout: {max: 300ms}}",
		"policies: {timeout: {default: 100ms, max: 300ms}}",
		"policies: {timeout: {max_tools: {shell_run: 300ms}}}",
	} {
		file, err := config.OpenText("f.yaml", []byte(text))
		if err != nil {
			t.Error(err)
			continue
		}
		scope, err := toolscope.New(file.Options(toolscope.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		call := toolkit.Call{Name: "shell_run", Arguments: json.RawMessage(`{"command":"sleep 20"}`)}
		res, err := scope.WrapRegistry(registry)(t.Context(), call)
		if err == nil {
			err = res.Fault
		}
		if took := time.Since(start); took > 10*time.Second || !errors.Is(err, toolkit.ErrTimeout) {
			t.Errorf("%s: the command ran for %v and ended with %v, want a timeout after 300ms", text, took, err)
		}
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
