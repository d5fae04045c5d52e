// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/exporters"
)

// Lines are written beside every other destination, and without any.
func TestJSONLines(t *testing.T) {
	told := complaints(t)
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", b.grpc(t))
	one, two := t.TempDir(), t.TempDir()
	p := setup(t, exporters.Options{
		JSONLines: []exporters.JSONLines{{Dir: one}, {Dir: two}},
	})
	record(p, "work")
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{one, two} {
		files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got %q, %v, want one file", files, err)
		}
		if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "work/child") {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if got := b.received(); got != "work/child work" || p.Ring.State().Spans != 2 {
		t.Errorf("the others: got %q and %d spans in the ring", got, p.Ring.State().Spans)
	}
	if got := told(); len(got) > 0 {
		t.Errorf("the error handler got %q, want nothing", got)
	}
}

func TestJSONLinesWhereNobodyCanWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exporters.Setup(t.Context(), exporters.Options{
		JSONLines: []exporters.JSONLines{{Dir: t.TempDir()}, {Dir: file}},
	}); err == nil || !strings.Contains(err.Error(), "exporters: Options.JSONLines[1]: ") {
		t.Errorf("got %v, want an error that names the option", err)
	}
}

func TestRingForgets(t *testing.T) {
	p := setup(t, exporters.Options{})
	span := func(name, session, tenant string) {
		tracer := p.TracerProvider.Tracer("test")
		ctx, root := tracer.Start(t.Context(), name)
		root.SetAttributes(attribute.String("toolscope.session.id", session), attribute.String("toolscope.tenant", tenant))
		_, child := tracer.Start(ctx, name+"/http") // the application's span, which names no session
		child.End()
		_, other := tracer.Start(ctx, name+"/other")
		other.SetAttributes(attribute.String("gen_ai.conversation.id", "another"))
		other.End()
		root.End()
	}
	span("a", "s-1", "x")
	span("b", "s-1", "y")
	span("c", "s-2", "x")
	before := p.Ring.State()
	if n := p.Ring.Forget("s-1", "z") + p.Ring.Forget("", "") + (*exporters.Ring)(nil).Forget("s-1", ""); n != 0 {
		t.Errorf("got %d spans removed of no session, want none", n)
	}
	if n := p.Ring.Forget("s-1", "x"); n != 2 || p.Ring.State().Spans != 7 {
		t.Errorf("got %d spans of one tenant removed, %+v", n, p.Ring.State())
	}
	if n := p.Ring.Forget("s-1", ""); n != 2 {
		t.Errorf("got %d more removed, want 2", n)
	}
	if n := p.Ring.Forget("another", ""); n != 4 { // of c its span without a name as well
		t.Errorf("got %d removed, want the three and what stood below the third", n)
	}
	if s := p.Ring.State(); s.Spans != 1 || s.Traces != 1 || s.Bytes <= 0 || s.Bytes >= before.Bytes || s.Dropped != 0 {
		t.Errorf("got %+v, want one span", s)
	}
	if n := p.Ring.Forget("s-2", ""); n != 1 || p.Ring.State() != (exporters.RingState{}) || len(p.Ring.Traces()) != 0 {
		t.Errorf("got %d, %+v, want an empty ring", n, p.Ring.State())
	}
}
