// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
)

// program finds a server or a browser of the machine. Where TOOLSCOPE_E2E is not 1
// its absence skips the test.
func program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("TOOLSCOPE_E2E") == "1" {
		t.Fatalf("none of %v is installed: .ci/run installs them from Debian", names)
	}
	t.Skipf("none of %v is installed", names)
	return ""
}

// command builds the command.
func command(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "toolscope")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", binary, "./cmd/toolscope").CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, out)
	}
	return binary
}

// serveDemo runs the demo's session and serves what is known of it. It returns the
// address. Without further arguments no calls are made after the session.
func serveDemo(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir()) // where it announces itself
	binary := command(t)
	if args == nil {
		args = []string{"--rate", "0"}
	}
	cmd := exec.Command(binary, append([]string{"demo", "--seed", strconv.Itoa(demoSeed)}, args...)...)
	cmd.Dir = ".."
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OTEL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the demo after Ctrl-C: %v, want exit code 0", err)
		}
	})
	address := regexp.MustCompile(`http://[0-9.:]+/`)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			go io.Copy(io.Discard, stderr)
			return found
		}
	}
	t.Fatal("the demo named no address")
	return ""
}

// TestPrometheusScrapes lets a real Prometheus scrape the demo and compares its
// histogram_quantile with the percentile that toolscope answers.
func TestPrometheusScrapes(t *testing.T) {
	binary := program(t, "prometheus")
	demo := serveDemo(t)
	server := scrape(t, binary, strings.TrimSuffix(strings.TrimPrefix(demo, "http://"), "/"))
	query := server.number
	var calls float64
	server.wait(t, func() (ok bool) {
		calls, ok = query("sum(toolscope_calls_total)")
		return ok
	})
	var summary struct {
		Overall struct{ Calls float64 }
		Tools   []struct {
			Tool  string
			P95Ms float64 `json:"p95_ms"`
			P99Ms float64 `json:"p99_ms"`
			MaxMs float64 `json:"max_ms"`
		}
	}
	for _, path := range []string{"api/v1/summary?window=total", "api/v1/tools?window=total&limit=100"} {
		if err := get(t, demo+path, &summary); err != nil {
			t.Fatal(err)
		}
	}
	if calls != summary.Overall.Calls || calls < 120 {
		t.Errorf("Prometheus has %v calls, the summary %v", calls, summary.Overall.Calls)
	}
	compared := 0
	for _, tool := range summary.Tools {
		if tool.P99Ms == 0 {
			continue
		}
		estimate, ok := query(
			`histogram_quantile(0.99, sum by (le) (toolscope_run_seconds_bucket{tool="` + tool.Tool + `"}))`,
		)
		if !ok {
			t.Errorf("%s: Prometheus has no quantile", tool.Tool)
			continue
		}
		// Of few calls the 99th percentile is the slowest or the one before, as one
		// rounds; and the estimate is anywhere in the bucket of that call, whose ends
		// are at most a factor of 2.5 apart, or 100 µs at the lower end.
		low, high := tool.P95Ms/1000/2.6-1e-4, tool.MaxMs/1000*2.6+1e-4
		if estimate < low || estimate > high {
			t.Errorf(
				"%s: histogram_quantile says %v s, want %v to %v; toolscope says %v ms",
				tool.Tool,
				estimate,
				low,
				high,
				tool.P99Ms,
			)
		}
		compared++
	}
	t.Logf("%v calls scraped, p99 of %d tools compared", calls, compared)
	if compared < 10 {
		t.Errorf("got %d tools to compare, want 10 or more", compared)
	}
}

// TestStatsFindsTheDemo: a program that announced itself is found without an address.
func TestStatsFindsTheDemo(t *testing.T) {
	demo := serveDemo(t)
	out, err := exec.Command(command(t), "stats", "--window", "total", "--json").Output()
	if err != nil {
		t.Fatalf("toolscope stats: %v", err)
	}
	var summary struct {
		Source  string
		Overall struct{ Calls int }
	}
	if err := json.Unmarshal(out, &summary); err != nil || !strings.HasSuffix(summary.Source, demo) ||
		summary.Overall.Calls < 120 {
		t.Errorf("got %+v, %v, want the calls of %s", summary, err, demo)
	}
}

// TestDashboardInChromium renders the page as a person sees it, scripts included.
func TestDashboardInChromium(t *testing.T) {
	browser := program(t, "chromium", "chromium-browser", "google-chrome")
	demo := serveDemo(t)
	page := browse(t, browser, demo+"?window=total")
	page.shows(`document.querySelectorAll(".tools tbody tr").length > 5`)
	dom := page.text(`document.documentElement.outerHTML`)
	for _, want := range []string{
		"file_read", "payment_refund", "Top errors", "Sessions", "<svg", "p99", "unknown_tool", "<caption",
	} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if found := canary.Find(dom, canary.Secrets(demoSeed)); found != nil {
		t.Errorf("the page shows %v", found)
	}
	for name, width := range map[string]int{"desktop": 1280, "phone": 400} {
		size := map[string]any{"width": width, "height": 1600, "deviceScaleFactor": 1, "mobile": false}
		page.call("Emulation.setDeviceMetricsOverride", size)
		if got := page.call("Page.captureScreenshot", map[string]any{}); len(got) < 20_000 {
			t.Errorf("%s: the screenshot has %d bytes, want a picture of a whole page", name, len(got))
		}
	}
}

func get(t *testing.T, address string, into any) error {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

// A port is given once. It is none of those that systems give to who asks for any, as other
// tests do all the time.
const firstPort, manyPorts = 20_000, 5_000

var nextPort atomic.Int64

func init() { nextPort.Store(rand.Int64N(manyPorts)) }

// freeAddress is a loopback address that no program listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range manyPorts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+nextPort.Add(1)%manyPorts))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatalf("got no free port, want one of %d", manyPorts)
	return ""
}
