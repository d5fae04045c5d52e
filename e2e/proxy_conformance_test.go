// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// everyPolicy is a configuration with each policy, with its defaults or the least that it needs to have an effect.
const everyPolicy = `policies:
  recover: {}
  loop: {}
  truncate: {}
  validate: {}
  permit: {}
  approve: {unattended: true}
  dedupe: {}
  cache: {}
  budget: {session: {calls: 1000000}}
  retry: {on: [timeout]}
  breaker: {}
  limit: {}
  timeout: {}
`

// ways are those from a client to a server: the columns of the table in docs/proxy-reference.md.
var ways = []string{"direct", "proxy", "all policies"}

// proxyOptions are those of the proxy on each way.
func proxyOptions(t *testing.T) map[string][]string {
	t.Helper()
	policies := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(policies, []byte(everyPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{"proxy": nil, "all policies": {"--config", policies}}
}

// longConformance reports whether the suites run in all ways, as by make proxy-conformance.
func longConformance() bool { return os.Getenv("TOOLSCOPE_CONFORMANCE") == "all" }

// TestConformanceBehindTheProxy lets the public suite judge the SDK's own server, bare and behind the
// HTTP proxy, without policies and with all of them.
func TestConformanceBehindTheProxy(t *testing.T) {
	npmPackages(t)
	server, proxy := conformanceProgram(t, "everything-server", "", "", false), command(t)
	for _, run := range conformanceRuns {
		if run.name == "latest" && !longConformance() {
			continue // the newer suite asks the same and more
		}
		t.Run(run.name, func(t *testing.T) {
			address := freeAddress(t)
			stateless := "-stateless=false"
			if run.stateless {
				stateless = "-stateless=true"
			}
			launch(t, exec.Command(server, "-http", address, stateless))
			waitForListener(t, address)
			said := map[string]map[string]int{}
			options := proxyOptions(t)
			for _, way := range ways {
				front := address
				if way != "direct" {
					front = freeAddress(t)
					cmd := exec.Command(
						proxy,
						append([]string{"mcp", "--target", "http://" + address + "/", "--listen", front}, options[way]...)...)
					cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
					launch(t, cmd)
					waitForListener(t, front)
				}
				said[way] = verdicts(t, run.script, append([]string{"server", "--url", "http://" + front + "/"}, run.args...)...)
				compareVerdicts(t, said["direct"], said[way])
				if run.name != "latest" {
					checkRow(t, "server", run.name, way, said[way])
				}
			}
		})
	}
}

// conformanceClient is the client that the suite starts with the address of its server: direct, or behind a proxy. It is
// not judged in the scenarios of authorization, which TestAuthorizationConformance has.
const conformanceClient = `#!/bin/sh
case "$MCP_CONFORMANCE_SCENARIO" in auth/*) exit 0;; esac
[ "$WAY" = direct ] && exec "$CLIENT" "$1"
log=$(mktemp "$STATE/XXXXXX")
XDG_STATE_HOME=$STATE "$PROXY" mcp --target "$1" --listen 127.0.0.1:0 $OPTIONS 2>"$log" &
until address=$(sed -n 's/.*passing \(http[^ ]*\) on to.*/\1/p' "$log"); [ -n "$address" ]; do sleep 0.05; done
"$CLIENT" "$address"
code=$?
kill $!
exit $code
`

// TestClientConformanceBehindTheProxy does the same with the SDK's own client. One check differs: the policy validate
// refuses null for an argument that is a boolean, so that the suite's server gets no such call.
func TestClientConformanceBehindTheProxy(t *testing.T) {
	npmPackages(t)
	script := filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(script, []byte(conformanceClient), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLIENT", conformanceProgram(t, "everything-client", "", "", false))
	t.Setenv("PROXY", command(t))
	options := proxyOptions(t)
	for _, run := range conformanceRuns {
		if run.name == "latest" || run.name != "2026-07-28" && !longConformance() {
			continue
		}
		t.Run(run.name, func(t *testing.T) {
			said := map[string]map[string]int{}
			for _, way := range ways {
				if way == "proxy" && !longConformance() {
					continue // with all policies the proxy changes more
				}
				t.Setenv("WAY", way)
				t.Setenv("STATE", t.TempDir())
				t.Setenv("OPTIONS", strings.Join(options[way], " "))
				said[way] = verdicts(t, run.script, append([]string{"client", "--command", script}, run.args...)...)
				maps.DeleteFunc(said[way], func(check string, _ int) bool { return strings.HasPrefix(check, "auth/") })
				checkRow(t, "client", run.name, way, said[way])
				if way == "all policies" && run.name == "2026-07-28" {
					const refused = "http-custom-headers: sep-2243-client-omit-null: "
					if said[way][refused+"FAILURE"] != 1 || said["direct"][refused+"SUCCESS"] != 1 {
						t.Errorf("got %d and %d, want the policy to refuse null for a boolean", said[way][refused+"FAILURE"],
							said["direct"][refused+"SUCCESS"])
					}
					delete(said[way], refused+"FAILURE")
					said[way][refused+"SUCCESS"] = 1
				}
				compareVerdicts(t, said["direct"], said[way])
			}
		})
	}
}

// checkRow checks that the table in docs/proxy-reference.md says how many checks passed and failed.
func checkRow(t *testing.T, side, revision, way string, said map[string]int) {
	t.Helper()
	passed, failed := 0, 0
	for check, n := range said {
		switch {
		case strings.HasSuffix(check, ": SUCCESS"):
			passed += n
		case strings.HasSuffix(check, ": FAILURE"):
			failed += n
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "docs", "proxy-reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.TrimSpace(cells[1]) != side || strings.TrimSpace(cells[2]) != revision {
			continue
		}
		for i, column := range ways {
			if got := strings.TrimSpace(cells[3+i]); column == way && got != fmt.Sprintf("%d, %d", passed, failed) {
				t.Errorf("%s, %s, %s: %d checks passed and %d failed, and docs/proxy-reference.md says %s", side, revision, way,
					passed, failed, got)
			}
		}
		return
	}
	t.Errorf("%s, %s: docs/proxy-reference.md has no row", side, revision)
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
