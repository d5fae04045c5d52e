// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// TestAReloadOfAWrongFileKeepsRecover reloads a file with an error while policies are in use that are made of a
// function and cannot be compared.
func TestAReloadOfAWrongFileKeepsRecover(t *testing.T) {
	p := openProtected(t, "policies: {recover: {}, truncate: {}}")
	if err := p.reload(t, "policies: {recover: {}, truncate: {}, loop: {window: 1}}"); err == nil {
		t.Error("a wrong file was reloaded")
	}
	if got := p.scope.Settings().Policies; len(got) != 2 {
		t.Errorf("got %d policies, want 2", len(got))
	}
}

// TestAReloadKeepsWhatCodeAdded reloads a file of a scope that has policies and switches of its application.
func TestAReloadKeepsWhatCodeAdded(t *testing.T) {
	dir := t.TempDir()
	file, err := config.Open(write(t, dir, "policies: {loop: {}}"))
	if err != nil {
		t.Fatal(err)
	}
	own := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	scope, err := toolscope.New(file.Options(toolscope.Options{Policies: []middleware.Policy{own}}))
	if err != nil {
		t.Fatal(err)
	}
	settings := scope.Settings()
	settings.ToolsOff, settings.NoContent = []string{"send", "wipe"}, true
	if err := scope.Apply(settings); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text      string
		toolsOff  []string
		noContent bool
	}{
		{"policies: {loop: {stop: 9}}", []string{"send", "wipe"}, true},
		{"policies: {loop: {stop: 9}}\ntools: {send: {enabled: true}}", []string{"wipe"}, true},
		{"policies: {loop: {stop: 9}}\ncontent: true", []string{"wipe"}, false},
	} {
		write(t, dir, c.text)
		if _, err := file.Reload(scope); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		got := scope.Settings()
		if len(got.Policies) != 2 || !slices.Contains(got.Policies, own) {
			t.Errorf("%q: got %d policies, want the one of the file and the one of the application", c.text, len(got.Policies))
		}
		if !slices.Equal(got.ToolsOff, c.toolsOff) || got.NoContent != c.noContent {
			t.Errorf("%q: got %+v, want %v and %t", c.text, got, c.toolsOff, c.noContent)
		}
	}
}
