// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// Canonical returns what a shell is to run for text, which [Parse] read as line: the text itself if every shell
// reads it alike, else the printed syntax tree. It is not ok if the print is read as another line than the text.
func Canonical(text string, line *shell.Line) (canonical string, ok bool) {
	stmts, is := line.Tree.([]*syntax.Stmt)
	if Plain(text) || !is {
		return text, true
	}
	defer func() {
		if recover() != nil {
			canonical, ok = text, false
		}
	}()
	var b strings.Builder
	single := syntax.SingleLine(!strings.Contains(text, "<<")) // else here-documents move out of substitutions
	if err := syntax.NewPrinter(single).Print(&b, &syntax.File{Stmts: stmts}); err != nil {
		return text, false
	}
	canonical = strings.TrimSuffix(b.String(), "\n")
	if strings.HasSuffix(text, "\n") && strings.Contains(text, "<<") {
		canonical = b.String()
	}
	if canonical == text {
		return text, true
	}
	again := Parse(canonical)
	return canonical, again.Understood() == line.Understood() && reflect.DeepEqual(again.Commands, line.Commands) &&
		reflect.DeepEqual(again.Redirects, line.Redirects) && reflect.DeepEqual(again.Assigns, line.Assigns)
}

// Plain reports whether a text has only words, pipes, lists and quotes without expansions inside: no reader takes
// it for anything else.
func Plain(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
		case strings.IndexByte(" _./,:=@%+-|;", c) >= 0:
		case c == '&' && i+1 < len(text) && text[i+1] == '&':
			i++
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 || c == '"' && strings.ContainsAny(text[i+1:i+1+n], "$`\\!") {
				return false
			}
			i += n + 1
		default:
			return false
		}
	}
	return true
}
