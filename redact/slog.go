// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// NewHandler wraps a handler so that messages, attributes, and the names of attributes
// and groups are redacted before it sees them: by the attribute's key, and in every
// text. Values of other types are formatted first. A nil redactor is [Default].
func NewHandler(next slog.Handler, r *Redactor) slog.Handler {
	return &handler{next, r.orDefault()}
}

type handler struct {
	next slog.Handler
	r    *Redactor
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	message, _ := h.r.Text(record.Message)
	clean := slog.NewRecord(record.Time, record.Level, message, record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return &handler{h.next.WithAttrs(clean), h.r}
}

func (h *handler) WithGroup(name string) slog.Handler {
	name, _ = h.r.Text(name)
	return &handler{h.next.WithGroup(name), h.r}
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	key, _ := h.r.Text(a.Key)
	switch v.Kind() {
	case slog.KindGroup:
		clean := make([]slog.Attr, 0, len(v.Group()))
		for _, member := range v.Group() {
			clean = append(clean, h.attr(member))
		}
		return slog.Attr{Key: key, Value: slog.GroupValue(clean...)}
	case slog.KindBool, slog.KindDuration, slog.KindTime:
		return slog.Attr{Key: key, Value: v}
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		if d := h.r.classify(a.Key); d.Level == names.Secret && d.Kind.Group() == kinds.GroupPersonal &&
			d.Kind != kinds.SSN {
			if text := v.String(); h.r.Named(a.Key, text) != text {
				return slog.String(key, h.r.Named(a.Key, text))
			}
		} else if d.Level == names.Secret && h.r.engine != nil && h.r.engine.On.Has(d.Kind) {
			return slog.String(key, marks.OfKind(d.Kind))
		}
		return slog.Attr{Key: key, Value: v}
	}
	text := v.String()
	if v.Kind() == slog.KindAny {
		if v.Any() == nil {
			return slog.Attr{Key: key, Value: v}
		}
		text = anyText(v.Any())
	}
	return slog.String(key, h.r.Named(a.Key, text))
}

// anyText is a value as text. Bytes are the text they hold: as numbers it would pass
// unseen. fmt outlives methods that panic.
func anyText(v any) string {
	switch v := v.(type) {
	case error:
		return fmt.Sprintf("%v", v)
	case []byte:
		return string(v)
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprintf("%+v", v)
}

// classify says what a name tells.
func (r *Redactor) classify(name string) names.Verdict {
	if r.engine == nil {
		return names.Classify(name)
	}
	return r.engine.Classify(name)
}

// NameTells reports whether a name says something of its value, so that [Redactor.Named] may remove
// what [Redactor.Text] leaves.
func (r *Redactor) NameTells(name string) bool {
	r = r.orDefault()
	return r.engine != nil && r.classify(name) != (names.Verdict{})
}

// Named redacts the value of a name, as JSON members are: by the name, and by
// what the value is.
func (r *Redactor) Named(name, value string) string {
	r = r.orDefault()
	if r.engine == nil || value == "" {
		return value
	}
	out, _, changed := r.run(nil, value, r.classify(name), false)
	if !changed {
		return value
	}
	return syntax.Text(out)
}
