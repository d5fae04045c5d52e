// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// Parse reads a command line. It never fails: what it cannot read is a doubt,
// and the line then holds what could be made out. Safe for concurrent use.
func Parse(text string) (line *shell.Line) {
	line = new(shell.Line)
	if len(text) > shell.MaxLength {
		line.Doubt(shell.DoubtLimit, fmt.Sprintf("the command line has %d bytes, want at most %d", len(text), shell.MaxLength))
		return line
	}
	defer func() {
		if recover() != nil {
			line.Doubt(shell.DoubtSyntax, "the command line cannot be read")
		}
	}()
	if text, ok := strange(text); ok {
		line.Doubt(shell.DoubtCharacter, text)
	}
	r := reader{line: line}
	r.code(text, shell.Input{})
	r.finish()
	return line
}

// code reads shell code into the line.
func (r *reader) code(text string, in shell.Input) {
	if continued(text) {
		r.line.Doubt(shell.DoubtSyntax, "a backslash at the end of a line that bash reads in another way than our parser")
	}
	defer func(old string) { r.text = old }(r.text)
	r.text = text
	parser := parsers.Get().(*syntax.Parser)
	var stmts []*syntax.Stmt
	var err error
	// The sequence may go on after an error, so the loop does, too. Statements are
	// complete at the end only: a here-document comes later than its statement.
	for s, e := range parser.StmtsSeq(&source{text: text}) {
		if err == nil {
			err = e
		}
		if err == nil {
			stmts = append(stmts, s)
		}
	}
	if r.codes++; r.codes == 1 {
		r.line.Tree = stmts
	}
	end := r.end
	r.end = 0
	r.stmts(stmts, in)
	r.end = end
	r.codes--
	if err == nil {
		parsers.Put(parser)
		return
	}
	if errors.Is(err, errDeep) {
		r.line.Doubt(shell.DoubtLimit, errDeep.Error())
		return
	}
	reason := err.Error()
	if e := (syntax.ParseError{}); errors.As(err, &e) {
		reason = e.Text
	}
	r.line.Doubt(shell.DoubtSyntax, "bash syntax: "+reason)
	seen := 0
	if n := len(stmts); n > 0 {
		seen = min(int(stmts[n-1].End().Offset()), len(text))
	}
	r.salvage(text[seen:])
}

// continued reports whether the text may have a line that our parser joins to the next one and
// bash does not, or the other way round: a comment ends with its line whatever stands before, and
// in a here-document a dollar may stand before the end of the line, and what it expands behind.
func continued(text string) bool {
	for rest, i := text, strings.Index(text, "\\\n"); i >= 0; i = strings.Index(rest, "\\\n") {
		line := rest[strings.LastIndexByte(rest[:i], '\n')+1 : i]
		if strings.HasSuffix(line, "$") {
			return true
		}
		for at, c := range []byte(line) {
			if c == '#' && (at == 0 || !wordLike(line[at-1])) {
				return true
			}
		}
		rest = rest[i+2:]
	}
	return false
}

// wordLike reports whether a '#' behind c is a part of a word for every reader.
func wordLike(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-./:=%@+$", c) >= 0
}

// salvage lists what look like commands in text that has no syntax, so that one
// that is forbidden is seen.
func (r *reader) salvage(text string) {
	pieces := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(";|&(){}\n`", c) })
	for _, piece := range pieces {
		fields := strings.Fields(piece)
		for len(fields) > 0 && (reserved[fields[0]] || !nameLike(fields[0])) {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			continue
		}
		words := make([]shell.Word, len(fields))
		for i, f := range fields {
			words[i] = shell.Word{Text: strings.Trim(f, "\"'"), Loose: i > 0}
		}
		words[0].Known = true
		r.command(r.reserve(), words, nil, shell.Input{})
	}
}

var reserved = map[string]bool{
	"if": true, "then": true, "else": true, "elif": true, "fi": true, "for": true, "while": true, "until": true,
	"do": true, "done": true,
	"case": true, "esac": true, "in": true, "function": true, "time": true, "!": true, "coproc": true, "select": true,
}

func nameLike(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80 ||
			strings.IndexByte("._/+-~@:", c) >= 0) {
			return false
		}
	}
	return s != "" && s[0] != '-'
}

// source gives the text to the parser, and stops it when it is too deep: each level
// of nesting is a few frames of its stack, and a stack that is full ends the
// process. The parser reads on at most every kilobyte, which bounds the overshoot.
type source struct {
	text string
	read int
}

var errDeep = errors.New("the command line is nested too deeply")

func (s *source) Read(p []byte) (int, error) {
	if s.read == len(s.text) {
		return 0, io.EOF
	}
	if s.read > 0 {
		var pc [1]uintptr
		if runtime.Callers(maxFrames, pc[:]) > 0 {
			return 0, errDeep
		}
	}
	n := copy(p, s.text[s.read:])
	s.read += n
	return n, nil
}

// strange says which character of text a person would not see, or would see in
// another place than bash does.
func strange(text string) (string, bool) {
	plain := true
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			plain = false
			break
		}
	}
	if plain {
		return "", false
	}
	for i, c := range text {
		switch {
		case c == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return fmt.Sprintf("invalid UTF-8 at byte %d", i), true
			}
		case c == '\n' || c == '\t':
		case unicode.Is(unicode.Zs, c) && c != ' ':
			return fmt.Sprintf("a blank that bash does not take for one, %U, at byte %d", c, i), true
		case unicode.Is(unicode.C, c) || c == 0x2028 || c == 0x2029 || c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0:
			return fmt.Sprintf("the invisible character %U at byte %d", c, i), true
		}
	}
	return "", false
}

// ReadCode reads text as shell code that c runs.
func (r *reader) ReadCode(c *shell.Command, code shell.Word, in shell.Input) {
	if !code.Known {
		r.line.Doubt(shell.DoubtCode, c.Name+" runs code that is computed")
	}
	if code.Text == "" {
		return
	}
	if r.codes > maxCode {
		r.line.Doubt(shell.DoubtLimit, "code inside code, too deep")
	} else {
		defer func(old string) { r.via = old }(r.via)
		r.via = c.Name
		r.code(code.Text, in)
	}
}
