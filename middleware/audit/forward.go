// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
)

// forward hands an event to a log handler. Members that say nothing are left out, as in the file.
func forward(h slog.Handler, e *Event) {
	if h == nil {
		return
	}
	defer func() { _ = recover() }() // the handler is the application's
	ctx, level := context.Background(), slog.LevelInfo
	if e.Outcome == toolkit.OutcomeRefused.String() || e.State == "rejected" || e.Kind == "stop" {
		level = slog.LevelWarn
	}
	if !h.Enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(e.Time, level, "audit "+e.Kind, 0)
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch value := v.Field(i).Interface().(type) {
		case map[string]string:
			var tags []any
			for _, key := range slices.Sorted(maps.Keys(value)) {
				tags = append(tags, slog.String(key, value[key]))
			}
			r.AddAttrs(slog.Group(name, tags...))
		case string, int, float64:
			if !v.Field(i).IsZero() {
				r.AddAttrs(slog.Any(name, value))
			}
		}
	}
	_ = h.Handle(ctx, r)
}
