// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"maps"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/toolkit"
)

// tools holds what is the same for every call of one tool by one agent. Readers
// take no lock; the map is copied to be changed, and bounded.
type tools struct {
	max   int
	clean func(string) string // what a name passes before it leaves
	mu    sync.Mutex          // serialises writers
	infos atomic.Pointer[map[toolKey]*toolInfo]
	known knownTools
}

type toolKey struct {
	tool, agent string
	kind        toolkit.ToolType
	operation   string // before the tool's name in the span's
	side        string
	spanKind    trace.SpanKind
}

// toolInfo is made once and not changed, but for the cached metric options, the description,
// and what the last call had redacted.
type toolInfo struct {
	found       atomic.Pointer[redactedAttributes]
	description description
	spanName    string
	agent       bool                    // whether this is the agent's side
	start       []trace.SpanStartOption // the first one is atStart
	atStart     []attribute.KeyValue
	labels      []attribute.KeyValue // of metrics, without outcome and error.type
	success     []metric.RecordOption
	mu          sync.Mutex
	others      atomic.Pointer[map[labelKey][]metric.RecordOption]
}

// executeTool is the operation of every call.
const executeTool = "execute_tool"

type labelKey struct {
	outcome   toolkit.Outcome
	errorType string
}

// find returns the info of a call's tool and agent; spec is nil for a call without one.
func (t *tools) find(f *toolkit.CallInfo, spec *spans.Spec) *toolInfo {
	if spec != nil || f.Tool == nil {
		return t.byName(f, spec)
	}
	agent := ""
	if f.Session != nil {
		agent = f.Session.Agent
	}
	if info := t.known.find(f.Tool, agent); info != nil {
		return info
	}
	info := t.byName(f, nil)
	t.known.addInfo(f.Tool, agent, info, t.max)
	return info
}

// byName is find by what the call's tool is called, which takes a hash of its names.
func (t *tools) byName(f *toolkit.CallInfo, spec *spans.Spec) *toolInfo {
	key := toolKey{
		tool: UnknownTool, kind: toolkit.ToolFunction, operation: executeTool, side: keys.SideAgent,
		spanKind: trace.SpanKindInternal,
	}
	if spec != nil && spec.Side != "" {
		key.side = spec.Side
	}
	if spec != nil && spec.Operation != "" {
		key.operation = spec.Operation
	}
	if spec != nil && spec.Kind != trace.SpanKindUnspecified {
		key.spanKind = spec.Kind
	}
	if f.Tool != nil {
		key.tool = f.Tool.Name
		if f.Tool.Type != "" {
			key.kind = f.Tool.Type
		}
	}
	if f.Session != nil {
		key.agent = f.Session.Agent
	}
	if m := t.infos.Load(); m != nil {
		if info := (*m)[key]; info != nil {
			return info
		}
	}
	return t.addTool(key)
}

func (t *tools) addTool(key toolKey) *toolInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := map[toolKey]*toolInfo{}
	if m := t.infos.Load(); m != nil {
		old = *m
	}
	if len(old) >= t.max {
		key.tool, key.agent, key.kind = other, "", toolkit.ToolFunction
	}
	if info := old[key]; info != nil {
		return info
	}
	info := t.newInfo(key)
	m := maps.Clone(old)
	m[key] = info
	t.infos.Store(&m)
	return info
}

func (t *tools) newInfo(key toolKey) *toolInfo {
	name := t.clean(key.tool)
	labels := []attribute.KeyValue{keyToolName.String(name), keyToolType.String(string(key.kind))}
	if key.agent != "" {
		labels = append(labels, keyAgentName.String(t.clean(key.agent)))
	}
	side := keySide.String(key.side)
	info := &toolInfo{
		spanName: key.operation + " " + name, agent: key.side == keys.SideAgent,
		labels: append(labels[:len(labels):len(labels)], side),
	}
	info.atStart = append([]attribute.KeyValue{keyOperation.String(executeTool)}, labels...)
	if !info.agent {
		info.atStart = append(info.atStart, side)
	}
	info.start = []trace.SpanStartOption{trace.WithAttributes(info.atStart...)}
	// To say nothing says INTERNAL by the API (trace.SpanKindUnspecified), and each option costs
	// a span that is not sampled a tenth of its time.
	if key.spanKind != trace.SpanKindInternal {
		info.start = append(info.start, trace.WithSpanKind(key.spanKind))
	}
	info.success = info.options(labelKey{})
	return info
}

// options makes the metric options of one outcome and error.type.
func (i *toolInfo) options(k labelKey) []metric.RecordOption {
	set := append(i.labels[:len(i.labels):len(i.labels)], keyOutcome.String(k.outcome.String()))
	if k.errorType != "" {
		set = append(set, keyErrorType.String(k.errorType))
	}
	return []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(set...))}
}

// recordOptions finds or makes the metric options of a call. How many there are
// is bounded by the outcomes and the values that error.type can take.
func (i *toolInfo) recordOptions(e *toolkit.Ended, errorType string) []metric.RecordOption {
	k := labelKey{e.Disposition.Outcome, errorType}
	if k == (labelKey{}) {
		return i.success
	}
	if m := i.others.Load(); m != nil {
		if o := (*m)[k]; o != nil {
			return o
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	m := map[labelKey][]metric.RecordOption{}
	if old := i.others.Load(); old != nil {
		m = maps.Clone(*old)
	}
	if m[k] == nil {
		m[k] = i.options(k)
		i.others.Store(&m)
	}
	return m[k]
}
