// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"slices"
	"strings"
	"testing"
)

// coreRequires is all that the core's go.mod may require directly: a program that uses the core
// gets these versions at least.
var coreRequires = []string{
	"github.com/HdrHistogram/hdrhistogram-go", "github.com/expr-lang/expr", "github.com/go-json-experiment/json",
	"github.com/google/jsonschema-go",
	"github.com/maypok86/otter/v2", "github.com/santhosh-tekuri/jsonschema/v6", "go.opentelemetry.io/otel",
	"go.opentelemetry.io/otel/metric",
	"go.opentelemetry.io/otel/trace", "go.uber.org/goleak", "go.yaml.in/yaml/v4", "golang.org/x/sys",
	"golang.org/x/text", "mvdan.cc/sh/v3",
}

// The modules of the repository that a released module may require, and what it never does,
// directly or not.
var moduleRules = map[string]struct{ own, never []string }{
	".": {never: []string{sdkModule, "google.golang.org/grpc", "modernc.org/sqlite", mcpModule,
		"github.com/prometheus/client_golang", "charm.land/bubbletea/v2"}},
	"exporters": {[]string{"."}, []string{"modernc.org/sqlite", mcpModule, "charm.land/bubbletea/v2"}},
	"mcp": {[]string{"."},
		[]string{"google.golang.org/grpc", "modernc.org/sqlite", "github.com/prometheus/client_golang", "charm.land/bubbletea/v2"}},
	"store/redis": {[]string{"."},
		[]string{sdkModule, "google.golang.org/grpc", "modernc.org/sqlite", mcpModule, "charm.land/bubbletea/v2"}},
	"tools":                 {[]string{"."}, []string{sdkModule, "google.golang.org/grpc", mcpModule, "charm.land/bubbletea/v2"}},
	"tools/agent/openai":    {[]string{".", "tools"}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"tools/agent/anthropic": {[]string{".", "tools"}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"adapters/adk":          {[]string{"."}, []string{mcpModule}},
	"adapters/anthropic":    {[]string{"."}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"adapters/eino":         {[]string{"."}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"adapters/genkit":       {[]string{"."}, []string{"google.golang.org/grpc"}},
	"adapters/langchain":    {[]string{"."}, []string{sdkModule, mcpModule}},
	"adapters/mcpgo":        {[]string{"."}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"adapters/openai":       {[]string{"."}, []string{sdkModule, "google.golang.org/grpc", mcpModule}},
	"adapters/openaiagents": {[]string{"."}, []string{sdkModule, "google.golang.org/grpc"}},
	"adapters/trpcagent":    {[]string{"."}, []string{mcpModule}},
	"workflow/temporal":     {[]string{"."}, []string{sdkModule, mcpModule, "go.temporal.io/server"}},
	"cmd/toolscope":         {own: []string{".", "exporters", "mcp", "store/redis", "tools"}},
	"examples":              {[]string{".", "exporters", "mcp", "tools"}, []string{"charm.land/bubbletea/v2"}},
}

const (
	sdkModule = "go.opentelemetry.io/otel/sdk"
	mcpModule = "github.com/modelcontextprotocol/go-sdk"
)

// requirements reads a go.mod file: paths of modules, the direct ones, and all.
func requirements(t *testing.T, dir string) (direct, all []string) {
	t.Helper()
	for line := range strings.Lines(string(read(t, strings.TrimPrefix(dir+"/go.mod", "./")))) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
		path, rest, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(rest, "v") || !strings.Contains(path, ".") {
			continue
		}
		all = append(all, path)
		if !strings.HasSuffix(line, "// indirect") {
			direct = append(direct, path)
		}
	}
	return direct, all
}

// TestModulesRequireOnlyWhatTheyMay checks the go.mod files of the released modules that
// modules.txt lists.
func TestModulesRequireOnlyWhatTheyMay(t *testing.T) {
	for line := range strings.Lines(string(read(t, "modules.txt"))) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "released" {
			continue
		}
		dir := fields[1]
		rule, ok := moduleRules[dir]
		if !ok {
			t.Errorf("%s: a released module without a rule here: say what it may require", dir)
			continue
		}
		direct, all := requirements(t, dir)
		for _, path := range all {
			if slices.Contains(rule.never, path) {
				t.Errorf("%s/go.mod requires %s, want it never to", dir, path)
			}
			if own, ok := strings.CutPrefix(path, module); ok && !slices.Contains(rule.own, strings.TrimPrefix("."+own, "./")) {
				t.Errorf("%s/go.mod requires %s, want of the repository at most %q", dir, path, rule.own)
			}
		}
		for _, path := range direct {
			if dir == "." && !slices.Contains(coreRequires, path) {
				t.Errorf("go.mod requires %s, want at most %q", path, coreRequires)
			}
		}
	}
}
