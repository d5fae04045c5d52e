// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
)

// TestRowsAreComplete fails for a row that lacks something, and names it.
func TestRowsAreComplete(t *testing.T) {
	pages := ""
	for _, name := range []string{"policies-safety.md", "policies-model.md", "policies-reliability.md",
		"policies-reuse.md", "permission.md"} {
		pages += read(t, "../../docs/"+name)
	}
	var names []string
	last := middleware.Stage(0)
	for _, p := range policies.All {
		lacks := func(ok bool, what string) {
			if !ok {
				t.Errorf("the row of %q in internal/policies/table.go: want %s", p.Name, what)
			}
		}
		lacks(p.Name != "" && p.Name == strings.ToLower(p.Name) && !slices.Contains(names, p.Name),
			"a name in lower case that no other policy has")
		lacks(p.Stage >= last && slices.Contains(middleware.Stages(), p.Stage), "a stage, and its place in the order of stages")
		lacks(strings.HasSuffix(p.Doc, ".") && len(p.Doc) <= 80, "a sentence of at most 80 bytes as Doc")
		lacks(len(p.Tags) > 0, "the tags that the policy records")
		for key, meaning := range p.Tags {
			lacks(key != "" && meaning != "", "a meaning for each tag")
		}
		lacks(strings.Contains(pages, "<!-- policy "+p.Name+" -->\n"),
			"a section of a page docs/policies-….md with the mark <!-- policy "+p.Name+" -->")
		lacks(regexp.MustCompile(`(?m)^\| [^|]* \| ([^|]*, )?`+p.Name+`[, ][^|]*\| \[`).MatchString(read(t, "../../docs/policies.md")),
			"its name in the table \"Find a policy\" of docs/policies.md")
		if p.Policy != nil {
			made := reflect.New(p.Policy.Elem()).Interface().(middleware.Policy)
			_, ok := made.(interface{ Made() bool })
			lacks(ok, "a method Made of its type, so that zero values are refused")
			lacks(made.Stage() == p.Stage, "the stage that its type has")
		} else if made, err := p.Build(reflect.New(p.Section).Interface(), &policies.Builder{}); err == nil {
			lacks(made.Stage() == p.Stage, "the stage of the policy that it builds")
		} else {
			lacks(p.Needs != "", fmt.Sprintf("what the policy needs: %v", err))
		}
		names, last = append(names, p.Name), p.Stage
	}
}

// TestWaterfallShowsTheTagsOfEachPolicy: the page of a call shows what policies decided, by the first words of their tags.
func TestWaterfallShowsTheTagsOfEachPolicy(t *testing.T) {
	const script = "../../internal/statspage/web/waterfall.js"
	words := map[string]bool{}
	for _, p := range policies.All {
		for tag := range p.Tags {
			word, _, _ := strings.Cut(tag, ".")
			words[word] = true
		}
	}
	want := `const decisions = /^toolscope\.(` + strings.Join(slices.Sorted(maps.Keys(words)), "|") + ")"
	if !strings.Contains(read(t, script), want) {
		t.Errorf("%s: got no %s, want it: the tags of all policies", script, want)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOptionsHaveNamesAndDescriptions looks at every option that a file can set.
func TestOptionsHaveNamesAndDescriptions(t *testing.T) {
	for _, p := range policies.All {
		checkFields(t, p.Name, p.Section, 0)
	}
}

func checkFields(t *testing.T, at string, typ reflect.Type, depth int) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		checkFields(t, at, typ.Elem(), depth)
	case reflect.Struct:
		if typ.String() == "time.Time" {
			return
		}
		for _, f := range strictyaml.Fields(typ) {
			name := f.Tag.Get("yaml")
			if name == "" || f.Tag.Get("doc") == "" {
				t.Errorf("%s: the field %s has the tags %q, want yaml and doc, or yaml:\"-\"", at, f.Name, f.Tag)
			}
			checkFields(t, at+"."+name, f.Type, depth+1)
		}
	}
}

// TestEveryPackageOfAPolicyHasARow fails for a package of a policy that the table does not know.
func TestEveryPackageOfAPolicyHasARow(t *testing.T) {
	files, err := filepath.Glob("../../middleware/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || !strings.Contains(string(text), ") Stage() middleware.Stage") {
			continue
		}
		pkg := filepath.Base(filepath.Dir(file))
		if !slices.ContainsFunc(policies.All, func(p policies.Descriptor) bool {
			made := reflect.New(p.Section).Elem().FieldByName("Options").Type()
			if p.Policy != nil {
				made = p.Policy.Elem()
			}
			return strings.HasSuffix(made.PkgPath(), "/middleware/"+pkg)
		}) {
			t.Errorf("%s has a policy: add a row to internal/policies/table.go", file)
		}
	}
}
