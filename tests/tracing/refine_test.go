// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// refinedCall makes one call of a tool and returns its span.
func refinedCall(
	t *testing.T, h *harness, def toolkit.Definition, arguments string, process *toolkit.Process,
) sdktrace.ReadOnlySpan {
	t.Helper()
	execute := toolkit.Observe(func(string) *toolkit.Definition { return &def }, h)(
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Record.Note(func(s *toolkit.Disposition) { s.Process = process })
			return toolkit.Result{Output: "done"}, nil
		})
	if _, err := execute(context.Background(), toolkit.Call{Name: def.Name, Arguments: []byte(arguments)}); err != nil {
		t.Fatal(err)
	}
	ended := h.spans.Ended()
	return ended[len(ended)-1]
}

// secretName has the form of a token.
var secretName = "ghp_" + strings.Repeat("aB3dE5fG7h", 4)[:36]

// TestRefinements: names and attributes of skills and commands are those of the conventions, and only where the tool
// says so.
func TestRefinements(t *testing.T) {
	load := toolkit.SkillArguments{Name: "skill"}
	read := toolkit.SkillArguments{Name: "skill", Resource: "path"}
	for _, c := range []struct {
		name      string
		skill     toolkit.SkillArguments
		arguments string
		process   *toolkit.Process
		span      string // after "execute_tool x"
		want      map[string]string
	}{
		{"a tool that says nothing", toolkit.SkillArguments{}, `{"skill":"pdf","path":"a.md"}`, nil, "", nil},
		{"load a skill", load, `{"skill":"pdf"}`, nil, " pdf", map[string]string{"gen_ai.skill.name": "pdf"}},
		{"no skill named", load, `{"other":1}`, nil, "", nil},
		{"not a text", load, `{"skill":{"a":1}}`, nil, "", nil},
		{"not JSON", load, `{"skill":`, nil, "", nil},
		{"read a file of a skill", read, `{"skill":"pdf","path":"references/rules.md"}`, nil, " pdf references/rules.md",
			map[string]string{"gen_ai.skill.name": "pdf", "gen_ai.skill.resource.name": "references/rules.md"}},
		{"only the file", read, `{"path":"rules.md"}`, nil, " rules.md",
			map[string]string{"gen_ai.skill.resource.name": "rules.md"}},
		{"the skill alone does not stand in the name", read, `{"skill":"pdf"}`, nil, "",
			map[string]string{"gen_ai.skill.name": "pdf"}},
		{"an absolute path", read, `{"skill":"pdf","path":"/home/ann/rules.md"}`, nil, "",
			map[string]string{"gen_ai.skill.name": "pdf"}},
		{"a path out of the skill", read, `{"path":"../../etc/passwd"}`, nil, "", nil},
		{"a secret", load, `{"skill":"` + secretName + `"}`, nil, " _OTHER",
			map[string]string{"gen_ai.skill.name": "_OTHER"}},
		{"a command", toolkit.SkillArguments{}, `{}`, &toolkit.Process{Executable: "/usr/bin/git", ExitCode: 128}, " git",
			map[string]string{"process.executable.name": "git", "process.exit.code": "128"}},
		{"several commands", toolkit.SkillArguments{}, `{}`, &toolkit.Process{ExitCode: 0}, "",
			map[string]string{"process.exit.code": "0"}},
		{"killed", toolkit.SkillArguments{}, `{}`, &toolkit.Process{Executable: "sleep", ExitCode: -1}, " sleep",
			map[string]string{"process.executable.name": "sleep"}},
		{"a script of a skill", read, `{"skill":"pdf","path":"run.py"}`, &toolkit.Process{Executable: "python3"}, " pdf run.py",
			map[string]string{"gen_ai.skill.name": "pdf", "gen_ai.skill.resource.name": "run.py",
				"process.executable.name": "python3", "process.exit.code": "0"}},
		{"a program of a skill", load, `{"skill":"pdf"}`, &toolkit.Process{Executable: "python3"}, " python3",
			map[string]string{"gen_ai.skill.name": "pdf", "process.executable.name": "python3", "process.exit.code": "0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, tracing.Options{Content: tracing.ContentOff})
			s := refinedCall(t, h, toolkit.Definition{Name: "x", Skill: c.skill}, c.arguments, c.process)
			if got, want := s.Name(), "execute_tool x"+c.span; got != want {
				t.Errorf("got the name %q, want %q", got, want)
			}
			got := attributes(s.Attributes())
			for _, key := range []string{
				"gen_ai.skill.name", "gen_ai.skill.resource.name", "process.executable.name", "process.exit.code",
			} {
				if got[key] != c.want[key] {
					t.Errorf("%s: got %q, want %q", key, got[key], c.want[key])
				}
			}
			for _, p := range h.points(t, "gen_ai.execute_tool.duration") {
				for key := range attributes(p.Attributes.ToSlice()) {
					if strings.HasPrefix(key, "gen_ai.skill") || strings.HasPrefix(key, "process.") {
						t.Errorf("the metric has %s", key)
					}
				}
			}
		})
	}
}

// startSeen is a sampler that keeps what it is shown.
type startSeen struct{ attributes []attribute.KeyValue }

func (s *startSeen) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	s.attributes = p.Attributes
	return sdktrace.AlwaysSample().ShouldSample(p)
}

func (*startSeen) Description() string { return "startSeen" }

// TestSamplersSeeTheSkill: the skill's name is there when the span starts, and names are bounded.
func TestSamplersSeeTheSkill(t *testing.T) {
	sampler := new(startSeen)
	h := newHarness(t, tracing.Options{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler))})
	def := &toolkit.Definition{Name: "x", Skill: toolkit.SkillArguments{Name: "skill"}}
	execute := toolkit.Observe(func(string) *toolkit.Definition { return def }, h)(
		func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	names := make(map[string]bool)
	for i := range 1000 {
		_, _ = execute(context.Background(), toolkit.Call{Name: "x", Arguments: fmt.Appendf(nil, `{"skill":"s%d"}`, i)})
		names[attributes(sampler.attributes)["gen_ai.skill.name"]] = true
	}
	if len(names) != 65 || !names["s0"] || !names["_OTHER"] {
		t.Errorf("got %d names, want 64 and _OTHER", len(names))
	}
}

// TestCaptureModes: content that could only be in events is refused at the start, since it would be lost.
func TestCaptureModes(t *testing.T) {
	for mode, want := range map[string]string{
		"NO_CONTENT": "", "span_only": "", "true": "", "false": "",
		"EVENT_ONLY": "want SPAN_ONLY or NO_CONTENT", "span_and_event": "want SPAN_ONLY or NO_CONTENT",
	} {
		t.Setenv(tracing.ContentEnv, mode)
		_, err := tracing.New(tracing.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", mode, err, want)
		}
		if _, err := tracing.New(tracing.Options{Content: tracing.ContentOn}); err != nil {
			t.Errorf("%s: got %v, want the option to win", mode, err)
		}
	}
}
