// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"path"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/errtype"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// refined bounds what the conventions' refinements of execute_tool add to the names of spans: models make up
// names of skills and files, and command lines name any program. Each has 64 different values at most.
type refined struct{ skills, files, programs *errtype.Guard }

func newRefined(r *redact.Redactor) refined {
	return refined{errtype.New(r), errtype.New(r), errtype.New(r)}
}

// startSkill starts the span of a call of a tool whose definition says which arguments name a skill and a file of
// it. By the conventions the skill's name stands alone in the span's name only where a skill is loaded.
//
//go:noinline
func (o *Observer) startSkill(
	ctx context.Context, info *toolInfo, arguments toolkit.SkillArguments, given []byte, options []trace.SpanStartOption,
) (context.Context, trace.Span) {
	skill, file := o.skillOf(arguments, given)
	name := info.spanName
	var attributes []attribute.KeyValue
	if skill != "" {
		attributes = append(attributes, keySkill.String(skill))
	}
	if skill != "" && (file != "" || arguments.Resource == "") {
		name += " " + skill
	}
	if file != "" {
		name += " " + file
		attributes = append(attributes, keySkillFile.String(file))
	}
	return o.tracer.Start(ctx, name, append(options[:len(options):len(options)], trace.WithAttributes(attributes...))...)
}

// skillOf reads the names of the skill and its file from a call's arguments.
func (o *Observer) skillOf(arguments toolkit.SkillArguments, given []byte) (skill, file string) {
	file = stringMember(given, arguments.Resource)
	if strings.HasPrefix(file, "/") || strings.Contains(file, "\\") || path.Clean("/"+file) != "/"+file {
		file = "" // no path inside the skill
	}
	return o.refined.skills.Export(stringMember(given, arguments.Name)), o.refined.files.Export(file)
}

// addProcess adds what is known of the process that the tool started. Its program is in the span's name, unless a
// skill's file or a protocol is.
//
//go:noinline
func (o *Observer) addProcess(a *attributes, span trace.Span, info *toolInfo, spec *spans.Spec, e *toolkit.Ended) {
	p := e.Disposition.Process
	if p.ExitCode >= 0 {
		a.number(keyExitCode, p.ExitCode)
	}
	if p.Executable == "" {
		return
	}
	program := o.refined.programs.Export(path.Base(p.Executable))
	a.text(keyExecutable, program)
	if spec != nil {
		return
	}
	if tool := e.Info.Tool; tool != nil && tool.Skill.Resource != "" {
		if _, file := o.skillOf(tool.Skill, e.Call.Arguments); file != "" {
			return
		}
	}
	span.SetName(info.spanName + " " + program)
}
