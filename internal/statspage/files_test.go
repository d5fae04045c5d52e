// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statspage

import (
	"crypto/sha512"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// uplotHash is the SHA-512 of dist/uPlot.iife.min.js in the npm package uplot 1.6.32, whose own integrity is
// sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==.
const uplotHash = "jfm4wrxgq73ZXFzyYPRmgfQd7yYjtsH57SzfgjpieX4rgnfHAMAZJgQ1YLTsc6HOX+1tnGjnkFuerbc8oI2mJg=="

func TestPlottingLibraryIsUnchanged(t *testing.T) {
	sum := sha512.Sum512([]byte(file("uplot.min.js")))
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != uplotHash {
		t.Errorf("uplot.min.js: got %s, want %s", got, uplotHash)
	}
	if licence, err := os.ReadFile("web/uplot.LICENSE"); err != nil || !strings.Contains(string(licence), "MIT License") {
		t.Errorf("its licence: got %v", err)
	}
}

// Joining the modules gives what a browser would make of them one by one: each module is listed, after those that it
// imports or at least without using them before the page starts; every name imported is exported; no name is taken twice.
func TestModulesCanBeJoined(t *testing.T) {
	files, err := filepath.Glob("web/*.js")
	if err != nil || len(files) != len(modules()) {
		t.Fatalf("got %d files, %v, want the %d listed", len(files), err, len(modules()))
	}
	exports, top := make(map[string]bool), make(map[string]string)
	for _, name := range modules()[1:] {
		for _, m := range regexp.MustCompile(`(?m)^(export )?(?:const|let|class|function) (\w+)`).FindAllStringSubmatch(
			file(name), -1) {
			if top[m[2]] != "" {
				t.Errorf("%s: %s is declared in %s as well", name, m[2], top[m[2]])
			}
			top[m[2]], exports[name+" "+m[2]] = name, m[1] != ""
		}
	}
	for _, name := range modules()[1:] {
		text := file(name)
		imports := regexp.MustCompile(`(?m)^import \{ ([^}]*) \} from '\./(\w+\.js)';$`).FindAllStringSubmatch(text, -1)
		if len(imports) != strings.Count("\n"+text, "\nimport ") {
			t.Errorf("%s: an import is not one line of the form import { a, b } from './file.js';", name)
		}
		imported := make(map[string]bool)
		for _, m := range imports {
			if slices.Index(modules(), m[2]) > slices.Index(modules(), name) {
				t.Errorf("%s is joined before %s, which it imports", name, m[2])
			}
			for one := range strings.SplitSeq(m[1], ", ") {
				imported[one] = true
				if !exports[m[2]+" "+one] {
					t.Errorf("%s: %s does not export %s", name, m[2], one)
				}
				if !regexp.MustCompile(`\b` + one + `\b`).MatchString(strings.ReplaceAll(text, m[0], "")) {
					t.Errorf("%s does not use %s", name, one)
				}
			}
		}
	}
	if script := Script(); regexp.MustCompile(`(?m)^(import|export) `).MatchString(script) || strings.Contains(script, "</script") {
		t.Error("the joined script has what a page cannot contain")
	}
}

// No script makes HTML of a text, and no style sheet loads anything.
func TestFilesAreHarmless(t *testing.T) {
	for _, name := range modules()[1:] {
		for _, never := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
			"eval(", "new Function", "srcdoc"} {
			if strings.Contains(file(name), never) {
				t.Errorf("%s has %s", name, never)
			}
		}
	}
	if strings.Contains(file("uplot.min.js"), "innerHTML") {
		t.Error("the plotting library makes HTML")
	}
	css := Style()
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the style sheet loads something")
	}
	if open, shut := strings.Count(css, "{"), strings.Count(css, "}"); open != shut {
		t.Errorf("the style sheet opens %d braces and shuts %d", open, shut)
	}
}
