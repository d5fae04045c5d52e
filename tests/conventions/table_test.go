// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package conventions_test

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
)

//go:embed conventions.txt
var table string

// A row is what the conventions ask of one kind of span, metric or event.
type row struct {
	signal string
	names  []string            // forms of the name
	lists  map[string][]string // by the word that begins a line
	reason map[string]string   // of the attributes that are not set
	seen   map[string]bool     // attributes of the test's spans, points or records
	count  int
}

// levels are the words before lists of attributes that may be there.
var levels = []string{"required", "conditional", "recommended", "optin", "rare", "allowed"}

func readTable(t *testing.T) (rows []*row) {
	t.Helper()
	for line := range strings.Lines(table) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#":
		case "span", "metric", "event":
			rows = append(rows, &row{word, strings.Split(rest, " | "), map[string][]string{}, map[string]string{}, map[string]bool{}, 0})
		case "unset":
			key, reason, found := strings.Cut(rest, ": ")
			if !found || len(reason) < 10 {
				t.Errorf("%s: %s: got no reason", rows[len(rows)-1].names[0], key)
			}
			rows[len(rows)-1].reason[key] = reason
		case "kind", "unit", "buckets", "severity", "forbidden":
			rows[len(rows)-1].lists[word] = strings.Fields(rest)
		default:
			if !slices.Contains(levels, word) {
				t.Fatalf("got the line %q, want a level of the table", line)
			}
			rows[len(rows)-1].lists[word] = strings.Fields(rest)
		}
	}
	return rows
}

// prefixes are those of attributes that OpenTelemetry defines.
var prefixes = regexp.MustCompile(
	`^(gen_ai|mcp|jsonrpc|rpc|network|server|client|process|exception|error|session|user|code|service|url|http)\.`)

var placeholder = regexp.MustCompile(`\{[a-z_.]+\}`)

// named reports whether one of the row's forms is the name of something with these attributes.
func (r *row) named(name string, attributes map[string]string) bool {
	return slices.ContainsFunc(r.names, func(form string) bool {
		complete := true
		got := placeholder.ReplaceAllStringFunc(form, func(key string) string {
			value := attributes[strings.Trim(key, "{}")]
			complete = complete && value != ""
			return value
		})
		return complete && got == name
	})
}

// check checks the attributes of one span, point or record. content says whether content may be there.
func (r *row) check(t *testing.T, name string, list []attribute.KeyValue, content bool) {
	t.Helper()
	r.count++
	has := make(map[string]bool)
	for _, a := range list {
		key := string(a.Key)
		has[key], r.seen[key] = true, true
		known := slices.ContainsFunc(levels, func(level string) bool { return slices.Contains(r.lists[level], key) })
		switch {
		case slices.Contains(r.lists["forbidden"], key):
			t.Errorf("%s %s: got %s, which it must not have", r.signal, name, key)
		case r.reason[key] != "":
			t.Errorf("%s %s: got %s, which the table says is not set (%s)", r.signal, name, key, r.reason[key])
		case !known && prefixes.MatchString(key):
			t.Errorf("%s %s: got %s, which the table does not list", r.signal, name, key)
		case !content && slices.Contains(r.lists["optin"], key):
			t.Errorf("%s %s: got %s without content capture", r.signal, name, key)
		}
	}
	for _, key := range r.lists["required"] {
		if !has[key] {
			t.Errorf("%s %s: got no %s, which is required", r.signal, name, key)
		}
	}
}

// complete checks that each attribute that toolscope should set was set at least once.
func (r *row) complete(t *testing.T) {
	t.Helper()
	if r.count == 0 {
		t.Errorf("%s %s: the test has none", r.signal, r.names[0])
		return
	}
	for _, level := range []string{"conditional", "recommended", "optin"} {
		for _, key := range r.lists[level] {
			if !r.seen[key] {
				t.Errorf("%s %s: %s is %s, and none has it: set it, or give a reason in the table", r.signal, r.names[0], key, level)
			}
		}
	}
}
