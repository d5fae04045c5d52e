// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/config"
)

// The page on configuration has the example and every field's description as they
// are in the code.
func TestDocsAreAsTheCode(t *testing.T) {
	const path = "../docs/configuration.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	rows := fieldRows("", schema)
	for name, s := range schema["$defs"].(map[string]any) {
		rows = append(rows, fieldRows(name, s.(map[string]any))...)
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(strings.Split(a, "`")[1], strings.Split(b, "`")[1]) })
	want := between(t, string(page), "example", "```yaml\n"+string(example)+"```\n")
	want = between(t, want, "fields", "| field | what |\n|---|---|\n"+strings.Join(rows, ""))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not as the code: run go test ./config -update", path)
	}
}

// between replaces what stands between two marks.
func between(t *testing.T, page, mark, text string) string {
	t.Helper()
	before, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- /"+mark+" -->")
	if !ok || !ok2 {
		t.Fatalf("the page has no mark %q", mark)
	}
	return before + "<!-- " + mark + " -->\n" + text + "<!-- /" + mark + " -->" + after
}

func fieldRows(at string, schema map[string]any) (rows []string) {
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, p := range properties {
			field, s := strings.TrimPrefix(at+"."+name, "."), p.(map[string]any)
			if doc, ok := s["description"].(string); ok {
				rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", field, strings.ReplaceAll(doc, "|", `\|`)))
			}
			rows = append(rows, fieldRows(field, s)...)
		}
	}
	if each, ok := schema["additionalProperties"].(map[string]any); ok {
		rows = append(rows, fieldRows(at+".NAME", each)...)
	}
	if each, ok := schema["items"].(map[string]any); ok {
		rows = append(rows, fieldRows(at+"[]", each)...)
	}
	return rows
}
