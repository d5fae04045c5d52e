// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of line lengths, in characters. A tab counts as one.
const (
	maxGoLine    = 130
	maxProseLine = 100
)

// phrases are words that a reader of OpenTelemetry's or Go's documentation would have to
// translate, with what to write instead.
var phrases = []phraseRule{
	phrase(`(is|are|was|were|be|been) told|told (of|to|apart|by|on|in|once|the|that|when|where)`,
		"reports, logs, is recorded, is distinguished"),
	phrase(`nobody|nobody's|somebody|somebody's|anybody|whoever`, "name the actor: client, caller, operator, model, server"),
	phrase(`of ours|the host's`, "toolscope's, your application's"),
	phrase(`twins?`, "duplicate, counterpart"),
	phrase(`wrong words`, "usage error"),
	phrase(`(begin|begins|began|begun|beginning) anew`, "restarts"),
	phrase(`left behind`, "abandoned"),
	phrase(`by turns`, "interleaved, round-robin"),
	phrase(`without further word|off until`, "by default; disabled by default"),
	phrase(`goes by|go by|going by`, "uses, follows"),
	phrase(`the house|front door`, "the repository, the entry point"),
	phrase(`flatters?`, "skews"),
	phrase(`what (leaves|passes)`, "exported data, traffic"),
	phrase(`at most (\d+|%d) at once|half ran shorter`, "peak concurrency N; median"),
	phrase(`as it should be`, "OK"),
	phrase(`(is|are) looked at`, "is examined, is inspected"),
	phrase(`let in`, "admitted, authorized"),
}

type phraseRule struct {
	pattern *regexp.Regexp
	has     []string // each match contains one of these, which is faster to look for
	instead string
}

func phrase(words, instead string) phraseRule {
	tree, err := syntax.Parse(words, syntax.Perl)
	if err != nil {
		panic(err)
	}
	has := contained(tree)
	if len(has) == 0 {
		panic(words + ": a match may contain none of its words")
	}
	return phraseRule{regexp.MustCompile(`(?i)\b(?:` + words + `)\b`), has, instead}
}

// contained gives texts of which each match of an expression contains one; nil if there are no such.
func contained(tree *syntax.Regexp) (all []string) {
	switch tree.Op {
	case syntax.OpLiteral:
		return []string{string(tree.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return contained(tree.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			part := contained(sub)
			if part == nil {
				return nil
			}
			all = append(all, part...)
		}
	case syntax.OpConcat: // the longest
		for _, sub := range tree.Sub {
			if part := contained(sub); part != nil && (all == nil || shortest(part) > shortest(all)) {
				all = part
			}
		}
	}
	return all
}

func shortest(texts []string) int {
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// TestProseIsPlain looks for the phrases in documentation, comments and string literals: help texts,
// error messages and log messages are such literals. A phrase that a test needs as data is made from parts.
func TestProseIsPlain(t *testing.T) {
	walk(t, func(path string) {
		switch {
		case path == "internal/repocheck/prose_test.go" || strings.Contains(path, "/testdata/"):
		case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, ".yaml"), strings.HasSuffix(path, ".html"), path == "Makefile":
			for i, line := range strings.Split(string(read(t, path)), "\n") {
				complain(t, path, i+1, line)
			}
		case strings.HasSuffix(path, ".go"):
			forGoText(t, path, func(line int, text string) { complain(t, path, line, text) })
		}
	})
}

func complain(t *testing.T, path string, line int, text string) {
	t.Helper()
	lower := strings.ToLower(text)
	for _, p := range phrases {
		if !slices.ContainsFunc(p.has, func(part string) bool { return strings.Contains(lower, part) }) {
			continue
		}
		if found := p.pattern.FindString(text); found != "" {
			t.Errorf("%s:%d: %q: write %s", path, line, found, p.instead)
		}
	}
}

// forGoText gives each comment and string literal of a Go file, line by line. Words of a comment that
// are divided by the end of a line are found too: the comment's next line is joined to it.
func forGoText(t *testing.T, path string, visit func(line int, text string)) {
	t.Helper()
	source := read(t, path)
	fset := token.NewFileSet()
	file := fset.AddFile(path, fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	before, beforeLine := "", 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return
		}
		line := file.Line(pos)
		switch tok {
		case token.COMMENT:
			text := strings.TrimSpace(strings.TrimPrefix(literal, "//"))
			visit(line, text)
			if beforeLine == line-1 { // only what the joint makes: the lines alone were visited
				visit(line, lastWords(before)+" "+firstWords(text))
			}
			before, beforeLine = text, line
		case token.STRING:
			for i, part := range strings.Split(literal, "\n") {
				visit(line+i, part)
			}
		}
	}
}

// lastWords and firstWords are one word of a line: no phrase of two words has more on one side.
func lastWords(line string) string {
	words := strings.Fields(line)
	return strings.Join(words[max(0, len(words)-1):], " ")
}

func firstWords(line string) string {
	words := strings.Fields(line)
	return strings.Join(words[:min(len(words), 1)], " ")
}

// maxLongTestLines is how many lines of tests may be longer than maxGoLine: the outputs of Examples and literals that
// are read better in one piece.
const maxLongTestLines = 100

// TestLinesAreShort holds code below maxGoLine and prose below maxProseLine characters, but for a few lines of tests.
// Tables, code blocks, comments, links and generated listings of a Markdown file may be longer.
func TestLinesAreShort(t *testing.T) {
	longTestLines := 0
	walk(t, func(path string) {
		if strings.Contains(path, "/testdata/") {
			return
		}
		limit := 0
		switch {
		case strings.HasSuffix(path, ".go"):
			limit = maxGoLine
		case strings.HasSuffix(path, ".md") && !strings.HasPrefix(path, "docs/telemetry"):
			limit = maxProseLine
		default:
			return
		}
		fenced, comment := false, false
		for i, line := range bytes.Split(read(t, path), []byte("\n")) {
			if limit == maxProseLine {
				if bytes.HasPrefix(bytes.TrimSpace(line), []byte("```")) {
					fenced = !fenced
				}
				comment = comment || bytes.HasPrefix(line, []byte("<!--"))
				inComment := comment
				comment = comment && !bytes.Contains(line, []byte("-->"))
				if fenced || inComment || bytes.HasPrefix(line, []byte("|")) || bytes.HasPrefix(line, []byte("    ")) ||
					bytes.Contains(line, []byte("](http")) || bytes.Contains(line, []byte("<http")) {
					continue
				}
			}
			n := utf8.RuneCount(line)
			if n <= limit {
				continue
			}
			if strings.HasSuffix(path, "_test.go") {
				if longTestLines++; longTestLines <= maxLongTestLines {
					continue
				}
			}
			t.Errorf("%s:%d: a line of %d characters, want at most %d", path, i+1, n, limit)
		}
	})
}

// vagueMethods are method names that need an object: ten types had one each, so that no search found the right one.
var vagueMethods = []string{"add", "take", "of", "tell", "told", "said"}

func TestMethodNamesHaveAnObject(t *testing.T) {
	walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		for _, decl := range parseFile(t, path).Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			for _, vague := range vagueMethods {
				if f.Name.Name == vague {
					t.Errorf("%s:%d: method %s: say what is meant, as in %sSample", path, positions.Position(f.Pos()).Line,
						strconv.Quote(vague), vague)
				}
			}
		}
	})
}
