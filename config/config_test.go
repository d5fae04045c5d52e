// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "toolscope.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestErrorsNameLineFieldValueAndWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"polices: {}", `f.yaml:1: polices: got an unknown field (did you mean "policies"?), want one of enabled, ` +
			`content, redact, tools, audit, workflows, policies`},
		{"enabled: maybe", `f.yaml:1: enabled: got "maybe", want true or false`},
		{"\n\npolicies:\n  timeout:\n    default: 30",
			`f.yaml:5: policies.timeout.default: got "30", want a time with its unit, such as 30s or 5m`},
		{"policies: {truncate: {limit: 64 kB}}", `policies.truncate.limit: got "64 kB", want a number of bytes`},
		{"policies: {truncate: {limit: 9999999999GiB}}", `policies.truncate.limit: got "9999999999GiB"`},
		{"policies: {limit: {concurrency: {order: random}}}",
			`policies.limit.concurrency.order: got "random", want round_robin or fifo`},
		{"policies: {limit: {concurrency: {global: 1.5}}}", `policies.limit.concurrency.global: got "1.5", want a whole number`},
		{"policies: {limit: {exempt: a}}", `policies.limit.exempt: got "a", want a list`},
		{"policies: {limit: {exempt: [a, [b]]}}", `policies.limit.exempt[1]: got a list, want a text`},
		{"policies: {limit: {rate: {tools: {read: 5}}}}", `policies.limit.rate.tools.read: got "5", want a mapping`},
		{"policies: []", `policies: got a list, want a mapping`},
		{"content: true\ncontent: false", `f.yaml:2: content: got the field a second time, want it once`},
		{"tools: &a {x: *a}", `tools: got an anchor or alias, want the value itself`},
		{"policies: {approve: {patterns: [{tool: 7}, {tool: null}]}}", `policies.approve.patterns[1].tool: got nothing, want a text`},
		{"a: [", `f.yaml:2: not YAML: did not find expected node content`},
		{strings.Repeat("#", 1<<20+1), `got 1048577 bytes, want at most 1048576`},
		{"- a", "f.yaml:1: got a list, want a mapping"},
		{"enabled: true\n---\nenabled: false\n", "f.yaml:2: got a second document, want one"},
		{"enabled: true\n}", "f.yaml:2: not YAML: did not find expected"},
		{"content: false\naudit: {}", "f.yaml:2: audit.file: got nothing, want a file's path"},
	} {
		err := config.Check("f.yaml", []byte(c.text))
		var e *strictyaml.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v\nwant %q in it", c.text, err, c.want)
		}
	}
}

func TestAllErrorsAreTold(t *testing.T) {
	err := config.Check("f", []byte("a: 1\nb: 2\nenabled: 3\n"))
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("got %d errors, want 3:\n%v", got, err)
	}
	err = config.Check("f", []byte(strings.Repeat("- a\n", 1)+""))
	if err == nil {
		t.Error("a list was taken")
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(strings.Repeat("x", i+1) + ": 1\n")
	}
	err = config.Check("f", []byte(many.String()))
	if got := strings.Count(err.Error(), "\n") + 1; got != 20 {
		t.Errorf("got %d errors, want the first 20", got)
	}
}

// What policies refuse is reported by Parse as well, so that a file that was checked is one
// that can be used; only what other files say is Open's alone.
func TestWhatPoliciesRefuseNamesTheSection(t *testing.T) {
	for text, want := range map[string]string{
		"policies:\n  loop: {window: 3}": ":2: policies.loop: loop: Options.Window: got 3",
		"policies:\n  recover: {}\n  approve: {defer: true, terminal: true}": ":3: policies.approve: approve: " +
			"Options.Askers: got 1, want only",
		"policies: {approve: {terminal: false}}": "policies.approve: terminal: got " +
			"false, want remote: true or",
		"policies: {approve: {unattended: true, remote: true}}": "policies.approve: approve: " +
			"Options.Askers: got Unattended and 1 more",
		"policies: {approve: {unattended: true, defer: true}}": "policies.approve: approve: " +
			"Options.Askers: got Unattended with Defer",
		"policies: {approve: {patterns: [{tool: a, approver: b, expires: x}]}}": `patterns[0].expires: got "x"`,
		"policies: {retry: {attempts: -3}}":                                     "policies.retry: retry: Options.Attempts: got -3",
		"policies: {limit: {rate: {global: {calls: 3}}}}": "policies.limit: limit: " +
			"Options.Rate.Global: got 3 calls in 0s",
		"policies: {permit: {rules: r.yaml, workspace: [.]}}": "policies.permit: workspace: got it " +
			"together with rules",
		"audit: {}": "audit.file: got nothing",
	} {
		if _, err := config.Open(write(t, t.TempDir(), text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q opened: got %v\nwant %q in it", text, err, want)
		}
		if err := config.Check("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q parsed: got %v\nwant %q in it", text, err, want)
		}
	}
	const three = "policies:\n  retry: {attempts: -3}\n  truncate: {limit: 10}\n  breaker: {rate: 5}\n"
	if err := config.Check("f.yaml", []byte(three)); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three sections that are wrong: got %v, want a line for each", err)
	}
	for text, want := range map[string]string{
		"policies: {permit: {rules: none.yaml}}": "policies.permit: config: open",
		"redact: {file: none.yaml}":              "redact.file: redactfile: open",
		"audit: {file: no/such/dir/log}":         "audit.file: audit: open",
	} {
		if _, err := config.Open(write(t, t.TempDir(), text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q opened: got %v\nwant %q in it", text, err, want)
		}
		if err := config.Check("f.yaml", []byte(text)); err != nil {
			t.Errorf("%q parsed: got %v, though files that it names are not to be opened", text, err)
		}
	}
	if _, err := config.Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestAFileThatSetsNothingTurnsNothingOn(t *testing.T) {
	for _, text := range []string{"{}", "# nothing\n---\n{}\n", "policies: {}\n", "policies: {loop: {enabled: false}}",
		"audit: {enabled: false}"} {
		f, err := config.Open(write(t, t.TempDir(), text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		scope, err := toolscope.New(f.Options(toolscope.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if s := scope.Settings(); s.Off || s.NoContent || len(s.Policies) != 0 || len(s.ToolsOff) != 0 {
			t.Errorf("%q: got %+v", text, s)
		}
	}
}

func TestAllPoliciesAreOn(t *testing.T) {
	f, err := config.OpenText("x", []byte(config.AllPolicies()))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(f.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []middleware.Stage
	for _, p := range scope.Settings().Policies {
		got = append(got, p.Stage())
	}
	var needing []string
	for _, p := range policies.All {
		if p.Needs == "" {
			want = append(want, p.Stage)
		} else {
			needing = append(needing, p.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got policies of the stages %v, want %v", got, want)
	}
	if documented := []string{"approve", "budget", "retry"}; !slices.Equal(needing, documented) {
		t.Errorf("got the policies %q that need options, want %q: AllPolicies names them in its comment", needing, documented)
	}
	if err := scope.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// full is every field of a file; it is also the example that the docs show.
const full = "testdata/full.yaml"

// writeSecrets makes the files of secrets that the example names.
func writeSecrets(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"webhook.secret", "audit.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(rand.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryFieldIsInTheExample(t *testing.T) {
	text, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	var schema, example any
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	if *update {
		text = withMissingPolicies(schema.(map[string]any), example.(map[string]any), text)
		if err := errors.Join(os.WriteFile(full, text, 0o644), yaml.Unmarshal(text, &example)); err != nil {
			t.Fatal(err)
		}
	}
	missing(t, "", schema.(map[string]any), example)
	dir := t.TempDir()
	for _, file := range []string{"testdata"} {
		entries, err := os.ReadDir(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(file, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	writeSecrets(t, dir)
	f, err := config.Open(filepath.Join(dir, "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := toolscope.New(f.Options(toolscope.Options{ApprovalsToken: "ada " + rand.Text() + "\ngrace " + rand.Text()}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := scope.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	var stages []string
	for _, p := range scope.Settings().Policies {
		stages = append(stages, p.Stage().String())
	}
	policies := schema.(map[string]any)["properties"].(map[string]any)["policies"].(map[string]any)["properties"].(map[string]any)
	if len(stages) != len(policies) {
		t.Errorf("got the policies %v, want all %d", stages, len(policies))
	}
}

// withMissingPolicies adds to the example each section of a policy that it lacks, with a value for each field.
func withMissingPolicies(schema, example map[string]any, text []byte) []byte {
	properties := func(of map[string]any, name string) map[string]any {
		return of["properties"].(map[string]any)[name].(map[string]any)
	}
	for _, p := range policies.All {
		if example["policies"].(map[string]any)[p.Name] == nil {
			section := "  " + p.Name + ": " + sample(properties(properties(schema, "policies"), p.Name)) + "\n"
			before, after, _ := strings.Cut(string(text), "\naudit:")
			text = []byte(before + "\n" + section + "\naudit:" + after)
		}
	}
	return text
}

// sample is a value of a schema, in YAML.
func sample(schema map[string]any) string {
	if properties, ok := schema["properties"].(map[string]any); ok {
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			fields = append(fields, name+": "+sample(properties[name].(map[string]any)))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	if allowed, ok := schema["enum"].([]any); ok {
		return allowed[0].(string)
	}
	switch kind := schema["type"]; {
	case kind == "boolean":
		return "true"
	case kind == "array":
		return "[" + sample(schema["items"].(map[string]any)) + "]"
	case kind == "object":
		return "{name: " + sample(schema["additionalProperties"].(map[string]any)) + "}"
	case schema["format"] == "date-time":
		return "2026-12-31T00:00:00Z"
	case kind == "string" && schema["pattern"] != nil:
		return "1s"
	case kind == "string":
		return "text"
	}
	return "1"
}

// missing tells what of a schema an example does not have.
func missing(t *testing.T, at string, schema map[string]any, example any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		value, ok := example.(map[string]any)[name]
		if !ok {
			t.Errorf("%s: the example lacks %s.%s", full, at, name)
			continue
		}
		if p.(map[string]any)["description"] == nil && p.(map[string]any)["properties"] == nil {
			t.Errorf("%s.%s has no description", at, name)
		}
		missing(t, at+"."+name, p.(map[string]any), value)
	}
}

func TestSchemaIsAsListedAndAcceptsTheExample(t *testing.T) {
	const path = "toolscope.schema.json"
	if *update {
		if err := os.WriteFile(path, config.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(path)
	if err != nil || string(listed) != string(config.Schema()) {
		t.Errorf("%s is not the schema (%v): run go test ./config -update", path, err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(config.Schema())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x:y", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("x:y")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	var example any
	if err := yaml.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(example); err != nil {
		t.Errorf("%s: %v", full, err)
	}
	if schema.Validate(map[string]any{"polices": nil}) == nil {
		t.Error("the schema takes any name")
	}
}

func TestReloadKeepsWhatIsUnchangedAndDropsNoCall(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "policies: {recover: {}, loop: {stop: 9}, timeout: {}}\naudit: {file: audit.jsonl}\n")
	f, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := toolscope.New(f.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	def := toolkit.Definition{Name: "echo"}
	handle := scope.Wrap(tooltest.Echo(def).Handle, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
	find := func(p middleware.Stage) middleware.Policy {
		i := slices.IndexFunc(scope.Settings().Policies, func(q middleware.Policy) bool { return q.Stage() == p })
		if i < 0 {
			return nil
		}
		return scope.Settings().Policies[i]
	}
	loop, timeout := find(middleware.StageLoop), find(middleware.StageTimeout)

	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if _, err := handle(context.Background(), toolkit.Call{Name: "echo"}); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for range 20 {
		write(t, dir, "content: false\npolicies: {recover: {enabled: false}, loop: {stop: 9}, timeout: {default: 5s}, "+
			"limit: {}}\naudit: {file: other.jsonl}\n")
		notes, err := f.Reload(scope)
		if err != nil || len(notes) > 1 {
			t.Fatalf("got %v, %v", notes, err)
		}
	}
	close(done)
	wg.Wait()
	if find(middleware.StageLoop) != loop {
		t.Error("a policy whose section did not change was rebuilt")
	}
	if p := find(middleware.StageTimeout); p == nil || p == timeout {
		t.Error("a policy whose section changed is the old one")
	}
	if find(middleware.StageRecover) != nil || find(middleware.StageLimit) == nil || !scope.Settings().NoContent {
		t.Errorf("got %+v", scope.Settings())
	}

	before := scope.Settings()
	write(t, dir, "policies: {loop: {window: 1}}")
	if _, err := f.Reload(scope); err == nil || len(scope.Settings().Policies) != len(before.Policies) {
		t.Errorf("a wrong file: got %v and %+v", err, scope.Settings())
	}
	const off = "content: true\npolicies: {loop: {enabled: false}, timeout: {enabled: false}, limit: {enabled: false}}\n"
	write(t, dir, off+"tools: {echo: {enabled: false}}\n")
	if _, err := f.Reload(scope); err != nil {
		t.Fatal(err)
	}
	if _, err := handle(t.Context(), toolkit.Call{Name: "echo"}); !errors.Is(err, toolkit.ErrPermissionDenied) {
		t.Errorf("a tool turned off: got %v", err)
	}
	write(t, dir, "enabled: false\ntools: {echo: {enabled: false}}\n")
	if _, err := f.Reload(scope); err != nil {
		t.Fatal(err)
	}
	if _, err := handle(t.Context(), toolkit.Call{Name: "echo"}); err != nil {
		t.Errorf("all turned off: got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	text, err := os.ReadFile(full)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("a: &a [*a]")
	f.Add("policies: {approve: {patterns: [{tool: a}]}}")
	f.Add("? {a: b}\n: c\n<<: {a: b}")
	f.Fuzz(func(t *testing.T, text string) {
		err := config.Check("f", []byte(text))
		if err != nil && err.Error() == "" {
			t.Error("an error without a text")
		}
	})
}

// The redactor's file is the scope's redactor.
func TestTheRedactorsFileIsUsed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "redact.yaml"), []byte("rules: [{path: $.hush, action: drop}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := config.Open(write(t, dir, "redact: {file: redact.yaml}\naudit: {file: audit.jsonl, all: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(f.Options(toolscope.Options{NoTracing: true}))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = scope.Wrap(tooltest.Echo(toolkit.Definition{Name: "echo"}).Handle, nil)(t.Context(),
		toolkit.Call{Name: "echo", Arguments: json.RawMessage(`{"hush":"the cat is out","loud":"yes"}`)})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if err != nil || strings.Contains(string(text), "cat") || !strings.Contains(string(text), "yes") {
		t.Errorf("got %s, %v", text, err)
	}
	write(t, dir, "redact: {file: none.yaml}")
	if _, err := config.Open(filepath.Join(dir, "toolscope.yaml")); err == nil ||
		!strings.Contains(err.Error(), "toolscope.yaml:1: redact.file: ") {
		t.Errorf("got %v", err)
	}
}

// The gate is rebuilt when its rules' file changes, or when there is no longer
// an approver to ask; the others are not.
func TestReloadSeesTheRulesFile(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.yaml")
	say := func(effect string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte("rules:\n  - name: it\n    tools: [echo]\n    effect: "+effect+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say("deny")
	f, err := config.Open(write(t, dir, "policies: {permit: {rules: rules.yaml}, cache: {}, approve: {remote: true, "+
		"expiry: 20ms}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(f.Options(toolscope.Options{ApprovalsToken: "a-token-for-tests"}))
	if err != nil {
		t.Fatal(err)
	}
	def := toolkit.Definition{Name: "echo"}
	handle := scope.Wrap(tooltest.Echo(def).Handle, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
	check := func(want error) {
		t.Helper()
		if _, err := f.Reload(scope); err != nil {
			t.Fatal(err)
		}
		if _, err := handle(t.Context(), toolkit.Call{Name: "echo"}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	cache := scope.Settings().Policies
	check(toolkit.ErrPermissionDenied)
	say("allow")
	check(nil)
	say("ask")
	check(toolkit.ErrApprovalExpired)
	write(t, dir, "policies: {permit: {rules: rules.yaml}, cache: {}, approve: {enabled: false}}\n")
	check(toolkit.ErrPermissionDenied)
	for _, p := range scope.Settings().Policies {
		if p.Stage() == middleware.StageCache && !slices.Contains(cache, p) {
			t.Error("the cache was rebuilt")
		}
	}
	say("perhaps")
	if _, err := f.Reload(scope); err == nil || !strings.Contains(err.Error(), "policies.permit") ||
		!strings.Contains(err.Error(), "perhaps") {
		t.Errorf("got %v", err)
	}
}

// Other limits of a budget do not give everybody a new one.
func TestReloadForgetsNoBudget(t *testing.T) {
	dir := t.TempDir()
	f, err := config.Open(write(t, dir, "policies: {budget: {session: {calls: 2}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := toolscope.New(f.Options(toolscope.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	def := toolkit.Definition{Name: "echo"}
	handle := scope.Wrap(tooltest.Echo(def).Handle, toolkit.Lookup(func(string) *toolkit.Definition { return &def }))
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	ran := 0
	for _, calls := range []string{"2", "1", "3", "3"} {
		write(t, dir, "policies: {budget: {session: {calls: "+calls+"}}}\n")
		if _, err := f.Reload(scope); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if _, err := handle(ctx, toolkit.Call{Name: "echo"}); err == nil {
				ran++
			}
		}
	}
	if ran != 3 {
		t.Errorf("%d calls ran under budgets of 2, 1 and 3, want 3", ran)
	}
}
