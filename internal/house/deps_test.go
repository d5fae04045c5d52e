// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Modules that several packages may depend on.
var (
	// otelAPI is the OpenTelemetry API with what it stands on: never the SDK.
	otelAPI = []string{
		"go.opentelemetry.io/otel", "go.opentelemetry.io/otel/trace", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/log",
		"go.opentelemetry.io/auto/sdk", "github.com/go-logr/logr", "github.com/go-logr/stdr", "github.com/cespare/xxhash/v2",
	}
	// otelSDK is the OpenTelemetry SDK with what it stands on.
	otelSDK  = slices.Concat(otelAPI, []string{"go.opentelemetry.io/otel/sdk", "github.com/google/uuid", "golang.org/x/sys"})
	jsontext = []string{"github.com/go-json-experiment/json"}
	hdr      = []string{"github.com/HdrHistogram/hdrhistogram-go"}
	otter    = []string{"github.com/maypok86/otter/v2"}
	// prometheusClient is the Prometheus client with what it stands on.
	prometheusClient = []string{
		"github.com/prometheus/client_golang", "github.com/prometheus/client_model", "github.com/prometheus/common", "github.com/prometheus/procfs",
		"github.com/beorn7/perks", "github.com/munnerz/goautoneg", "google.golang.org/protobuf", "golang.org/x/sys",
		"github.com/cespare/xxhash/v2", "github.com/klauspost/compress",
	}
)

// webPages are the libraries that read web pages with what they stand on.
var webPages = []string{
	"golang.org/x/net", "golang.org/x/text", "codeberg.org/readeck/go-readability/v2", "github.com/JohannesKaufmann/html-to-markdown/v2",
	"github.com/JohannesKaufmann/dom", "github.com/andybalholm/cascadia", "github.com/go-shiori/dom", "github.com/gogs/chardet", "github.com/araddon/dateparse",
}

// mcpSDK is the official SDK of the Model Context Protocol with what it stands on.
var mcpSDK = []string{
	"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go", "github.com/segmentio/encoding", "github.com/segmentio/asm",
	"github.com/yosida95/uritemplate/v3", "github.com/golang-jwt/jwt/v5", "golang.org/x/oauth2", "golang.org/x/time", "golang.org/x/sync", "golang.org/x/sys",
}

// dataTools are the libraries that compute for tools/data.
var dataTools = []string{
	"github.com/cockroachdb/apd/v3", "github.com/itchyny/gojq", "github.com/itchyny/timefmt-go", "github.com/theory/jsonpath",
	"github.com/santhosh-tekuri/jsonschema/v6", "github.com/aymanbagabas/go-udiff", "golang.org/x/text",
}

// toolkitOwn are the packages that toolkit depends on.
var toolkitOwn = []string{"toolkit/identity", "internal/counters", "internal/funcs", "internal/jsontypes"}

// statsOwn are the internal packages that stats depends on, besides those of toolkit and redact.
var statsOwn = []string{"internal/errorgroups", "internal/histogram", "internal/messages", "internal/stripes", "stats/internal/journal", "stats/internal/steady"}

// anything in a list allows every module.
const anything = "*"

// allowed says what each library package may depend on, directly or not, besides
// the standard library: packages of ours by directory, and other modules. The
// arrows run one way, as docs/design.md draws them. A package that is not
// listed fails the test: listing it is a decision. Internal packages that are listed are checked, too.
// A package that may depend on toolkit or stats may depend on what these themselves depend on.
var allowed = map[string]struct {
	own     []string
	modules []string
}{
	".":                     {[]string{"toolkit", "middleware", "middleware/approve", "redact", "internal/errtype", "stats", "tracing", "internal/announce", "internal/display"}, slices.Concat(otelAPI, jsontext, hdr)},
	"toolkit":               {own: toolkitOwn},
	"toolkit/identity":      {},
	"toolkit/export":        {own: []string{"toolkit"}},
	"toolkit/tooltest":      {own: []string{"toolkit"}},
	"toolkit/schema":        {[]string{"toolkit"}, []string{"github.com/google/jsonschema-go"}},
	"tools/files":           {own: []string{"toolkit"}},
	"tools/shell":           {[]string{"toolkit", "internal/process"}, []string{"golang.org/x/sys"}},
	"tools/sqldb":           {own: []string{"toolkit"}},
	"tools/web":             {[]string{"toolkit"}, webPages},
	"tools/weather":         {own: []string{"toolkit"}},
	"tools/data":            {[]string{"toolkit"}, dataTools},
	"tools/agent":           {own: []string{"toolkit"}},
	"tools/agent/openai":    {[]string{"toolkit", "tools/agent"}, []string{anything}},
	"tools/agent/anthropic": {[]string{"toolkit", "tools/agent"}, []string{anything}},
	"tools/catalog": {
		[]string{"toolkit", "tools/agent", "tools/data", "tools/files", "tools/python", "tools/shell", "tools/sqldb", "tools/weather", "tools/web", "internal/process"},
		slices.Concat(webPages, dataTools, []string{"golang.org/x/sys"}),
	},
	"tools/python":               {[]string{"toolkit", "internal/process"}, []string{"golang.org/x/sys"}},
	"mcp/toolmcp":                {[]string{".", "toolkit", "middleware", "middleware/approve", "redact", "internal/errtype", "stats", "tracing", "internal/announce", "internal/display"}, slices.Concat(otelAPI, jsontext, hdr, mcpSDK)},
	"mcp/manager":                {[]string{".", "toolkit", "mcp/toolmcp", "internal/process", "middleware", "middleware/approve", "redact", "internal/errtype", "stats", "tracing", "internal/announce", "internal/display"}, slices.Concat(otelAPI, jsontext, hdr, mcpSDK)},
	"mcp/mcpproxy":               {[]string{".", "toolkit", "mcp/toolmcp", "middleware", "middleware/approve", "redact", "internal/errtype", "stats", "tracing", "internal/announce", "internal/display"}, slices.Concat(otelAPI, jsontext, hdr, mcpSDK)},
	"redact":                     {modules: jsontext},
	"redact/redactfile":          {[]string{"redact"}, []string{"go.yaml.in/yaml/v4"}},
	"middleware":                 {[]string{"toolkit", "redact"}, jsontext},
	"middleware/cache":           {[]string{"toolkit", "middleware", "redact", "internal/freshness"}, slices.Concat(jsontext, otter)},
	"middleware/cache/cachetest": {[]string{"toolkit", "middleware", "redact", "internal/freshness", "middleware/cache"}, slices.Concat(jsontext, otter)},
	"middleware/dedupe":          {[]string{"toolkit", "middleware", "redact", "internal/freshness"}, jsontext},
	"middleware/approve":         {[]string{"toolkit", "redact", "middleware", "internal/display"}, jsontext},
	"middleware/limit":           {[]string{"toolkit", "redact", "middleware", "internal/sessions"}, jsontext},
	"middleware/retry":           {[]string{"toolkit", "redact", "middleware"}, jsontext},
	"middleware/loop":            {[]string{"toolkit", "redact", "middleware", "internal/sessions"}, jsontext},
	"middleware/breaker":         {[]string{"toolkit", "redact", "middleware"}, jsontext},
	"middleware/budget":          {[]string{"toolkit", "redact", "middleware", "internal/sessions"}, jsontext},
	"middleware/timeout":         {own: []string{"toolkit", "middleware", "redact"}, modules: jsontext},
	"middleware/audit":           {[]string{"toolkit", "redact", "internal/errtype", "middleware", "middleware/approve", "internal/display"}, jsontext},
	"config":                     {[]string{anything}, []string{anything}},
	"middleware/permit":          {[]string{"toolkit", "toolkit/identity", "redact", "middleware", "middleware/permit/bash"}, slices.Concat(jsontext, []string{"mvdan.cc/sh/v3", "github.com/expr-lang/expr", "go.yaml.in/yaml/v4"})},
	"middleware/permit/bash":     {modules: []string{"mvdan.cc/sh/v3"}},
	"middleware/validate":        {[]string{"toolkit", "redact", "middleware"}, slices.Concat(jsontext, []string{"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"})},
	"stats":                      {slices.Concat(statsOwn, []string{"toolkit", "redact", "internal/errtype", "internal/announce", "internal/display"}), slices.Concat(jsontext, hdr)},
	"exporters/statsprom":        {[]string{"toolkit", "redact", "internal/errtype", "internal/announce", "internal/display", "stats"}, slices.Concat(jsontext, hdr, prometheusClient)},
	"internal/stripes":           {},
	"stats/internal/journal":     {},
	"stats/internal/steady":      {},
	"internal/errorgroups":       {[]string{"toolkit", "internal/histogram", "internal/messages", "internal/stripes"}, hdr},
	"internal/messages":          {},
	"internal/histogram":         {[]string{"internal/stripes"}, hdr},
	"tracing":                    {[]string{"toolkit", "redact", "internal/errtype"}, slices.Concat(otelAPI, jsontext)},
	"exporters/jsonlines":        {modules: []string{anything}},
	"exporters/retention":        {own: []string{"exporters/internal/spanowner"}, modules: jsontext},
	"exporters":                  {[]string{"toolkit", "redact", "internal/errtype", "stats", "exporters/jsonlines", "internal/announce", "internal/display", "exporters/tailsample", "exporters/guard", "exporters/spool", "exporters/internal/otlpsize", "exporters/internal/otlpwire", "exporters/internal/spanowner"}, []string{anything}},
	"exporters/spool":            {[]string{"redact", "exporters/internal/spanowner"}, []string{anything}},
	"exporters/tailsample":       {[]string{"exporters/internal/otlpsize"}, otelSDK},
	"exporters/guard":            {[]string{"exporters/internal/otlpsize"}, otelSDK},
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			packages := list(t, goos)
			for _, p := range packages {
				rule, ok := allowed[p.own()]
				if !ok {
					if p.library() {
						t.Errorf("%s: a library package that has no rule here: say what it may depend on", p.own())
					}
					continue
				}
				for _, path := range p.Deps {
					dep := packages[path]
					switch {
					case dep == nil || dep.Standard || dep.Module == nil:
					case dep.own() != "":
						if !slices.Contains(rule.own, dep.own()) && !slices.Contains(rule.own, anything) &&
							!(slices.Contains(toolkitOwn, dep.own()) && slices.Contains(rule.own, "toolkit")) &&
							!(slices.Contains(statsOwn, dep.own()) && slices.Contains(rule.own, "stats")) {
							t.Errorf("%s depends on our %s, want at most %q", p.own(), dep.own(), rule.own)
						}
					case !slices.Contains(rule.modules, dep.Module.Path) && !slices.Contains(rule.modules, anything):
						t.Errorf("%s depends on %s, want of other modules at most %q", p.own(), path, rule.modules)
					}
				}
			}
		})
	}
}

// A rule for a directory that exists and holds no library package is a mistake
// in the rule; one for a directory that does not exist yet waits for it.
func TestRulesNamePackages(t *testing.T) {
	packages := list(t, "linux")
	for dir := range allowed {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir))); os.IsNotExist(err) {
			continue
		}
		p := packages[strings.TrimSuffix(module+"/"+dir, "/.")]
		if p == nil {
			t.Errorf("%s: a rule for what is no package", dir)
		}
	}
}
