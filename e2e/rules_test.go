// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRules lets the real promtool check Prometheus's configuration and test each alert of
// examples/deploy.
func TestRules(t *testing.T) {
	promtool := program(t, "promtool")
	for _, args := range [][]string{
		{"check", "config", "prometheus-2.yml"},
		{"check", "rules", "rules/toolscope.rules.yml"},
		{"test", "rules", "rules/toolscope.rules.test.yml"},
	} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = deployDir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

var (
	alertName  = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)
	metricUsed = regexp.MustCompile(`\btoolscope_[a-z_]+\b`)
)

const runbookURL = "https://github.com/toolscope/toolscope/blob/main/docs/runbook.md"

// Every alert has a test and a section of the runbook that it links to, and is about
// metrics that there are.
func TestAlertsAreExplained(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rules := read(filepath.Join(deployDir, "rules/toolscope.rules.yml"))
	tests := read(filepath.Join(deployDir, "rules/toolscope.rules.test.yml"))
	runbook := read("../docs/runbook.md")
	alerts := alertName.FindAllStringSubmatch(rules, -1)
	if len(alerts) < 10 {
		t.Fatalf("got %d alerts, want more", len(alerts))
	}
	for _, a := range alerts {
		if !strings.Contains(tests, "alertname: "+a[1]+"\n") {
			t.Errorf("%s: no test of it", a[1])
		}
		if !strings.Contains(runbook, "\n## "+a[1]+"\n") {
			t.Errorf("%s: no section in docs/runbook.md", a[1])
		}
		if !strings.Contains(rules, "runbook_url: "+runbookURL+"#"+strings.ToLower(a[1])+"\n") {
			t.Errorf("%s: no link to its section", a[1])
		}
	}
	if n := strings.Count(runbook, "\n## "); n != len(alerts)+1 {
		t.Errorf("docs/runbook.md: got %d sections, want one of each of %d alerts and one about them all", n, len(alerts))
	}

	_, address := thousands(t)
	res, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range metricUsed.FindAllString(rules, -1) {
		// Those of errors, cost, waits and policies are there once there was one, and toolscope_self_* are OpenTelemetry's:
		// TestPanels lets each alert fire.
		if !strings.Contains(string(page), name) && !regexp.MustCompile(
			`^toolscope_(errors|cost|waits|wait_seconds|policies)_total$|^toolscope_self_`).MatchString(name) {
			t.Errorf("%s: a metric that /metrics does not have", name)
		}
	}
}
