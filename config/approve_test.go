// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
)

// TestRemoteApprovalsMustBeServed opens and reloads a file whose approvals are answered over HTTP, with a scope
// that serves them and with one that does not.
func TestRemoteApprovalsMustBeServed(t *testing.T) {
	const want = "approve: no person can be asked: "
	for _, text := range []string{
		"policies: {approve: {remote: true}}",
		"policies: {approve: {remote: true, defer: true}}",
		"policies: {approve: {remote: true, terminal: true}}",
		"policies: {approve: {remote: true, terminal: false}}",
	} {
		dir := t.TempDir()
		file, err := config.Open(write(t, dir, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		_, err = toolscope.New(file.Options(toolscope.Options{}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: not served: got %v, want %q in it", text, err, want)
		}
		if _, err := toolscope.New(file.Options(toolscope.Options{ApprovalsToken: "a-token-for-tests"})); err != nil {
			t.Errorf("%s: served: %v", text, err)
		}

		// The same by a reload.
		file, err = config.Open(write(t, dir, "policies: {loop: {}}"))
		if err != nil {
			t.Fatal(err)
		}
		scope, err := toolscope.New(file.Options(toolscope.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, strings.Replace(text, "{approve", "{loop: {stop: 9}, approve", 1))
		if _, err := file.Reload(scope); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: reloaded, not served: got %v, want %q in it", text, err, want)
		}
		if got := scope.Settings().Policies; len(got) != 1 {
			t.Errorf("%s: the reload failed and there are %d policies, want 1", text, len(got))
		}
		write(t, dir, "policies: {loop: {stop: 9}}")
		if _, err := file.Reload(scope); err != nil || len(scope.Settings().Policies) != 1 {
			t.Errorf("a reload after one that failed: %v", err)
		}
	}
}
