// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Limits of sentences in README.md and docs, in words. Code, tables and headings do not count.
const (
	medianSentence  = 18
	longestSentence = 40
)

// pages are README.md and the documentation, as paths in the repository.
func pages(t *testing.T) (all []string) {
	walk(t, func(path string) {
		if path == "README.md" || strings.HasPrefix(path, "docs/") && strings.HasSuffix(path, ".md") {
			all = append(all, path)
		}
	})
	return all
}

var (
	htmlComment  = regexp.MustCompile(`(?s)<!--.*?-->`)
	fence        = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	codeSpan     = regexp.MustCompile("`[^`\n]+(?:\n[^`\n]+)?`")
	inlineLink   = regexp.MustCompile(`!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)`)
	listItem     = regexp.MustCompile(`(?m)^ *(?:[-*]|\d+\.) `)
	sentenceEnd  = regexp.MustCompile(`[.!?][)"*]*(?:\s+|$)`)
	headingLine  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	testName     = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	shortTime    = regexp.MustCompile(`\d (?:ns|µs)\b`)
	rejectedIdea = regexp.MustCompile(`\*(?:Refused|Rejected)[^*]*\*|(?m)^(?:- )?(?:Refused|Rejected):`)
	indexRow     = regexp.MustCompile(`(?m)^\| \[[^\]]+\]\(([^)#]+)\) \| (\S[^|]*) \|`)
)

// prose is a page without comments, code blocks, tables and headings; a code span is one word.
func prose(page string) string {
	page = htmlComment.ReplaceAllString(fence.ReplaceAllString(page, ""), "")
	var lines []string
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "    ") &&
			!listItem.MatchString(line) {
			line = ""
		}
		lines = append(lines, line)
	}
	page = codeSpan.ReplaceAllString(strings.Join(lines, "\n"), "code")
	return inlineLink.ReplaceAllString(page, "$1")
}

// sentences divides prose at the ends of sentences, of list items and of paragraphs.
func sentences(text string) (all []string) {
	text = listItem.ReplaceAllString(text, "\n\n")
	for _, paragraph := range regexp.MustCompile(`\n\s*\n`).Split(text, -1) {
		for _, s := range sentenceEnd.Split(paragraph, -1) {
			if s = strings.Join(strings.Fields(s), " "); s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}

func TestSentencesAreShort(t *testing.T) {
	var all []int
	for _, page := range pages(t) {
		var words []int
		for _, s := range sentences(prose(string(read(t, page)))) {
			n := len(strings.Fields(s))
			words = append(words, n)
			if n > longestSentence {
				t.Errorf("%s: a sentence of %d words, want at most %d: %s", page, n, longestSentence, s)
			}
		}
		if len(words) == 0 {
			continue
		}
		slices.Sort(words)
		if median := words[len(words)/2]; median > medianSentence {
			t.Errorf("%s: the median sentence has %d words, want at most %d", page, median, medianSentence)
		}
		all = append(all, words...)
	}
	slices.Sort(all)
	t.Logf("%d sentences: median %d words, longest %d", len(all), all[len(all)/2], all[len(all)-1])
}

// TestPagesAreOfOneKind checks that reasons are in design notes, figures on performance pages, and names of
// tests on guarantees pages. docs/adding.md names the tests that contributors meet.
func TestPagesAreOfOneKind(t *testing.T) {
	for _, page := range pages(t) {
		text, name := htmlComment.ReplaceAllString(fence.ReplaceAllString(string(read(t, page)), ""), ""),
			strings.TrimPrefix(page, "docs/")
		of := func(prefixes ...string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		}
		for what, found := range map[string]string{
			"a rejected idea: move it to docs/design": rejectedIdea.FindString(text),
			"a test: name it on a guarantees page":    testName.FindString(text),
			"a figure: move it to a performance page": shortTime.FindString(text),
		} {
			switch {
			case found == "" || of("design"):
			case of("guarantees", "adding.md") && testName.MatchString(found):
			case of("performance", "README.md", "telemetry") && shortTime.MatchString(found):
			default:
				t.Errorf("%s: %q is %s", page, found, what)
			}
		}
	}
}

// TestIndexListsEveryPage checks docs/README.md: each page has one row, with its kind.
func TestIndexListsEveryPage(t *testing.T) {
	kinds := []string{"tutorial", "how-to", "reference", "explanation"}
	listed := map[string]bool{}
	for _, row := range indexRow.FindAllStringSubmatch(string(read(t, "docs/README.md")), -1) {
		page := "docs/" + row[1]
		if listed[page] || !slices.Contains(kinds, row[2]) {
			t.Errorf("docs/README.md: %s: got the kind %q or a second row, want one row with one of %q", row[1], row[2], kinds)
		}
		listed[page] = true
	}
	for _, page := range pages(t) {
		if page != "README.md" && page != "docs/README.md" && !listed[page] {
			t.Errorf("docs/README.md: no row with the kind of %s", page)
		}
	}
}

// TestLinksLeadSomewhere checks the relative links of all Markdown files: the file is there, and so is the heading.
func TestLinksLeadSomewhere(t *testing.T) {
	files, markdown := map[string]bool{}, []string{}
	walk(t, func(file string) {
		for dir := file; dir != "."; dir = path.Dir(dir) {
			files[dir] = true
		}
		if strings.HasSuffix(file, ".md") && !strings.Contains(file, "/testdata/") {
			markdown = append(markdown, file)
		}
	})
	for _, file := range markdown {
		text := codeSpan.ReplaceAllString(fence.ReplaceAllString(string(read(t, file)), ""), "`")
		for _, link := range inlineLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[2], "://") || strings.HasPrefix(link[2], "mailto:") {
				continue
			}
			target, heading, _ := strings.Cut(link[2], "#")
			to := file
			if target != "" {
				to = path.Join(path.Dir(filepath.ToSlash(file)), target)
			}
			switch {
			case !files[to] && to != ".":
				t.Errorf("%s: the link %s leads nowhere", file, link[2])
			case heading != "" && strings.HasSuffix(to, ".md") && !slices.Contains(anchors(string(read(t, to))), heading):
				t.Errorf("%s: the link %s leads to no heading of %s", file, link[2], to)
			}
		}
	}
}

// anchors are the names of a page's headings in links, as GitHub and the site make them.
func anchors(page string) (all []string) {
	for _, h := range headingLine.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(inlineLink.ReplaceAllString(strings.TrimSpace(h[1]), "$1"))
		name = regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(name, "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}
