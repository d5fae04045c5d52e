// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/canary"
)

type valuer struct{ text string }

func (v valuer) LogValue() slog.Value { return slog.GroupValue(slog.String("inner", v.text)) }

type stringer struct{ text string }

func (s stringer) String() string { return s.text }

// attributes are all kinds of attributes that can carry a text.
func attributes(text string) []slog.Attr {
	return []slog.Attr{
		slog.String("string", text),
		slog.Any("error", errors.New(text)),
		slog.Any("bytes", []byte(text)),
		slog.Any("raw", json.RawMessage(object("a", text))),
		slog.Any("strings", []string{"a", text}),
		slog.Any("map", map[string]any{"a": map[string]string{"b": text}}),
		slog.Any("struct", struct{ A, B string }{"a", text}),
		slog.Any("pointer", &struct{ A string }{text}),
		slog.Any("stringer", stringer{text}),
		slog.Any("valuer", valuer{text}),
		slog.Group("group", slog.String("a", text), slog.Group("deeper", slog.Any("b", errors.New(text)))),
		slog.String(text, "its name"),
	}
}

// decimals is how fmt prints bytes.
func decimals(text string) string { return strings.Trim(fmt.Sprint([]byte(text)), "[]") }

func TestHandler(t *testing.T) {
	for _, s := range canary.Secrets(31) {
		for _, a := range attributes(s.Text) {
			for name, log := range map[string]func(*slog.Logger){
				"attribute": func(l *slog.Logger) { l.LogAttrs(context.Background(), slog.LevelInfo, "done", a) },
				"With":      func(l *slog.Logger) { l.With(a).Info("done") },
				"WithGroup": func(l *slog.Logger) { l.WithGroup("g").With(a).Info("done", a) },
				"message":   func(l *slog.Logger) { l.Info("done: " + s.Text) },
			} {
				for form, handler := range map[string]func(*bytes.Buffer) slog.Handler{
					"JSON": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
					"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
				} {
					var b bytes.Buffer
					log(slog.New(NewHandler(handler(&b), nil)))
					out := strings.ReplaceAll(b.String(), `\"`, `"`)
					if canary.Find(out, []canary.Secret{s}) != nil || strings.Contains(out, decimals(s.Value)) {
						t.Errorf("%v survives as %s %s in %s: %s", s, name, a.Key, form, b.String())
					}
					if !strings.Contains(b.String(), "done") {
						t.Errorf("%v: the record is lost: %q", s, b.String())
					}
				}
			}
		}
	}
}

func TestHandlerByKey(t *testing.T) {
	var b bytes.Buffer
	slog.New(NewHandler(slog.NewTextHandler(&b, nil), nil)).Info("login", "password", "hu3nter2Zq", "pin", 4711,
		slog.Group("db", "password", "hu3nter2Zq"))
	if out := b.String(); strings.Contains(out, "hu3nter2Zq") || strings.Contains(out, "4711") {
		t.Errorf("survives in %s", out)
	}
}

// TestHandlerKeeps: types and values that are harmless arrive as they were.
func TestHandlerKeeps(t *testing.T) {
	var b bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := NewHandler(slog.NewJSONHandler(&b, nil), nil)
	r := slog.NewRecord(at, slog.LevelWarn, "took long", 0)
	r.AddAttrs(slog.Int("n", 3), slog.Bool("ok", true), slog.Float64("f", 1.5), slog.Duration("d", time.Second),
		slog.Time("at", at), slog.String("tool", "read_file"), slog.Uint64("max_tokens", 4096),
		slog.Any("nothing", nil), slog.Attr{})
	if err := h.Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	const want = `{"time":"2026-01-02T03:04:05Z","level":"WARN","msg":"took long","n":3,"ok":true,"f":1.5,` +
		`"d":1000000000,"at":"2026-01-02T03:04:05Z","tool":"read_file","max_tokens":4096,"nothing":null}` + "\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
	if h.Enabled(context.Background(), slog.LevelDebug) {
		t.Error("the level of the inner handler does not count")
	}
}

// TestNameTells names what makes Named remove more than Text does.
func TestNameTells(t *testing.T) {
	off, err := New(Options{Preset: Off})
	if err != nil {
		t.Fatal(err)
	}
	own, err := New(Options{Names: []string{"ticket"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    *Redactor
		name string
		want bool
	}{
		{nil, "http.request.header.authorization", true}, {nil, "db_password", true}, {nil, "city", false},
		{own, "ticket", true}, {nil, "ticket", false}, {off, "password", false},
	} {
		if got := c.r.NameTells(c.name); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
}
