// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestConformanceBehindTheProxy lets the public suite judge the SDK's own server, bare and behind the
// HTTP proxy, without policies and with some that let all calls through.
func TestConformanceBehindTheProxy(t *testing.T) {
	npmPackages(t)
	server, proxy := conformanceProgram(t, "everything-server", "", "", false), command(t)
	for _, run := range conformanceRuns {
		if run.name == "2025-11-25" {
			continue // the latest release asks much the same
		}
		t.Run(run.name, func(t *testing.T) {
			address := freeAddress(t)
			stateless := "-stateless=false"
			if run.stateless {
				stateless = "-stateless=true"
			}
			launch(t, exec.Command(server, "-http", address, stateless))
			waitForListener(t, address)
			policies := filepath.Join(t.TempDir(), "policies.yaml")
			if err := os.WriteFile(policies, []byte("policies:\n  recover: {}\n  permit: {}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			bare := verdicts(
				t,
				run.script,
				append([]string{"server", "--url", "http://" + address + "/"}, run.args...)...)
			for _, options := range [][]string{nil, {"--config", policies}} {
				front := freeAddress(t)
				cmd := exec.Command(
					proxy,
					append([]string{"mcp", "--target", "http://" + address + "/", "--listen", front}, options...)...)
				cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
				launch(t, cmd)
				waitForListener(t, front)
				behind := verdicts(
					t,
					run.script,
					append([]string{"server", "--url", "http://" + front + "/"}, run.args...)...)
				compareVerdicts(t, bare, behind)
			}
		})
	}
}

// launch starts a program that ends with the test.
func launch(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}
