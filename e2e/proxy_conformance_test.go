// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"testing"
)

// TestConformanceBehindTheProxy lets the public suite judge the SDK's own server, bare and behind the
// HTTP proxy.
func TestConformanceBehindTheProxy(t *testing.T) {
	npmPackages(t)
	server, proxy := conformanceProgram(t, "everything-server", "", "", false), command(t)
	for _, run := range conformanceRuns {
		if run.name == "2025-11-25" {
			continue // the latest release asks much the same
		}
		t.Run(run.name, func(t *testing.T) {
			address, front := freeAddress(t), freeAddress(t)
			stateless := "-stateless=false"
			if run.stateless {
				stateless = "-stateless=true"
			}
			launch(t, exec.Command(server, "-http", address, stateless))
			waitForListener(t, address)
			cmd := exec.Command(proxy, "mcp", "--target", "http://"+address+"/", "--listen", front)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
			launch(t, cmd)
			waitForListener(t, front)
			bare := verdicts(t, run.script, append([]string{"server", "--url", "http://" + address + "/"}, run.args...)...)
			behind := verdicts(t, run.script, append([]string{"server", "--url", "http://" + front + "/"}, run.args...)...)
			compareVerdicts(t, bare, behind)
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
