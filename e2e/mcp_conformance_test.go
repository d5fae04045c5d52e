// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// conformanceProgram builds one of the MCP SDK's own conformance programs as it is, or
// with its one call of the constructor replaced by that of an instrumented peer: see
// testdata/conformance.
func conformanceProgram(t *testing.T, name, constructor, observed string, instrumented bool) string {
	t.Helper()
	program := "github.com/modelcontextprotocol/go-sdk/conformance/" + name
	binary := filepath.Join(t.TempDir(), name)
	args := []string{"build", "-o", binary, program}
	if instrumented {
		out, err := exec.Command("go", "list", "-f", "{{.Dir}}", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), constructor); n != 1 {
			t.Fatalf("%s has %s %d times, want once: this SDK is another one", program, constructor, n)
		}
		here, err := filepath.Abs(filepath.Join("testdata", "conformance", "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		changed, overlay := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "overlay.json")
		replace, _ := json.Marshal(map[string]map[string]string{"Replace": {here: changed}})
		if err := errors.Join(
			os.WriteFile(changed, []byte(strings.Replace(string(source), constructor, observed, 1)), 0o600),
			os.WriteFile(overlay, replace, 0o600),
		); err != nil {
			t.Fatal(err)
		}
		args = []string{"build", "-overlay", overlay, "-o", binary, "./testdata/conformance"}
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, out)
	}
	return binary
}

// node is the pinned node with the arguments of a script in one of the npm packages.
func node(ctx context.Context, t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	modules := npmPackages(t)
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	binary := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(binary); err != nil {
		t.Skipf("npm has no node for %s on %s here: %v", runtime.GOOS, runtime.GOARCH, err)
	}
	return exec.CommandContext(
		ctx,
		binary,
		append([]string{filepath.Join(modules, filepath.FromSlash(script))}, args...)...)
}

// stamp is what the suite puts behind a scenario's name.
var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-0-9]+Z$`)

// verdicts runs the suite and returns how often it said what of each check.
func verdicts(t *testing.T, script string, args ...string) map[string]int {
	t.Helper()
	return verdictsOf(t, 20, script, args...)
}

// verdictsOf are those of a suite with at least so many checks.
func verdictsOf(t *testing.T, least int, script string, args ...string) map[string]int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	results := t.TempDir()
	cmd := node(ctx, t, script, append(args, "--output-dir", results)...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("the conformance suite: %v", err)
	}
	said := make(map[string]int)
	err = filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(text, &checks); err != nil {
			return err
		}
		scenario, _ := filepath.Rel(results, filepath.Dir(path))
		for _, c := range checks {
			switch c.Status {
			case "INFO":
				continue
			case "WARNING": // that it was slow
				c.Status = "SUCCESS"
			}
			said[stamp.ReplaceAllString(scenario, "")+": "+c.ID+": "+c.Status]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(said) < least {
		t.Fatalf("the conformance suite said little: %v\n%s", said, out)
	}
	return said
}

// compareVerdicts compares what the suite said of a program bare and instrumented.
func compareVerdicts(t *testing.T, bare, instrumented map[string]int) {
	t.Helper()
	passed, failed := 0, 0
	for check := range maps.Keys(bare) {
		if strings.HasSuffix(check, ": FAILURE") {
			failed++
		} else {
			passed++
		}
	}
	t.Logf("%d checks passed and %d failed, bare", passed, failed)
	if passed < 20 {
		t.Errorf("got %d checks that passed bare, want 20 or more", passed)
	}
	if !maps.Equal(bare, instrumented) {
		for _, check := range slices.Sorted(maps.Keys(bare)) {
			if bare[check] != instrumented[check] {
				t.Errorf("%s: %d times bare, %d times instrumented", check, bare[check], instrumented[check])
			}
		}
		for _, check := range slices.Sorted(maps.Keys(instrumented)) {
			if bare[check] == 0 {
				t.Errorf("%s: only instrumented", check)
			}
		}
	}
}

// The conformance suite: its latest release, and the one that knows the stateless
// revision, too.
const (
	conformance     = "@modelcontextprotocol/conformance/dist/index.js"
	conformanceNext = "conformance-next/dist/index.js"
)

var conformanceRuns = []struct {
	name, script string
	stateless    bool
	args         []string
}{
	{"latest", conformance, false, []string{"--suite", "all"}},
	{"2025-11-25", conformanceNext, false, []string{"--requirements", "2025-11-25"}},
	{"2026-07-28", conformanceNext, true, []string{"--requirements", "2026-07-28"}},
}

// TestConformanceOfServers lets the public suite judge the SDK's own server, bare and with
// one line more.
func TestConformanceOfServers(t *testing.T) {
	npmPackages(t)
	var binaries [2]string
	for i := range binaries {
		binaries[i] = conformanceProgram(t, "everything-server", "mcp.NewServer(", "observedServer(", i == 1)
	}
	for _, run := range conformanceRuns {
		t.Run(run.name, func(t *testing.T) {
			var said [2]map[string]int
			spans := filepath.Join(t.TempDir(), "spans")
			for i, binary := range binaries {
				address := freeAddress(t)
				stateless := "-stateless=false"
				if run.stateless {
					stateless = "-stateless=true"
				}
				cmd := exec.Command(binary, "-http", address, stateless)
				cmd.Env = append(os.Environ(), "CONFORMANCE_SPANS="+spans)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				waitForListener(t, address)
				said[i] = verdicts(
					t,
					run.script,
					append([]string{"server", "--url", "http://" + address + "/"}, run.args...)...)
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			compareVerdicts(t, said[0], said[1])
			wantSpans(
				t,
				spans,
				"server tools/call test_simple_text",
				"server prompts/get test_simple_prompt",
				"server resources/read",
				"server tools/list",
			)
		})
	}
}

// TestConformanceOfClients does the same with the SDK's own client.
func TestConformanceOfClients(t *testing.T) {
	npmPackages(t)
	var binaries [2]string
	for i := range binaries {
		binaries[i] = conformanceProgram(t, "everything-client", "mcp.NewClient(", "observedClient(", i == 1)
	}
	for _, run := range conformanceRuns {
		t.Run(run.name, func(t *testing.T) {
			var said [2]map[string]int
			spans := filepath.Join(t.TempDir(), "spans")
			t.Setenv("CONFORMANCE_SPANS", spans)
			for i, binary := range binaries {
				said[i] = verdicts(t, run.script, append([]string{"client", "--command", binary}, run.args...)...)
			}
			compareVerdicts(t, said[0], said[1])
			wantSpans(t, spans, "client tools/call add_numbers", "client tools/list")
		})
	}
}

// waitForListener waits until a server listens at an address.
func waitForListener(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no server listens at %s: %v", address, err)
		}
	}
}

// wantSpans checks that the instrumented program was one.
func wantSpans(t *testing.T, file string, names ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, name := range names {
		if !slices.Contains(lines, name) {
			t.Errorf("got no span %q of %d", name, len(lines))
		}
	}
}
