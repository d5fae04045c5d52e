// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of what is read for a fingerprint: of a longer output the head and
// the tail, of an error's text the head.
const (
	maxOutput    = 64 << 10
	maxErrorText = 512
)

// callPrints are the fingerprints of a call and of its tool. Arguments without an
// identity count as they are written: a repeated invalid call is a loop. Two calls
// that share a fingerprint by accident (1 in 2^64) would be reported as a loop, no more.
func (p *policy) callPrints(call toolkit.Call) (print, tool uint64) {
	tool = p.sum(call.Name)
	if a, ok := call.Record.Identity(call); ok {
		return p.mix(tool, p.identitySum(a)), tool
	}
	return p.mix(tool, p.sumBytes(call.Arguments)), tool
}

// resultPrint is the fingerprint of what came of a call and whether it was a
// failure; 0 if nothing did: it is suspended, or its caller gave up.
func (p *policy) resultPrint(call toolkit.Call, res toolkit.Result, err error) (came uint64, failed bool) {
	if err == nil {
		err = res.Fault
	}
	switch {
	case res.Suspended:
		return 0, false
	case err != nil:
		kind := toolkit.TypeOf(err)
		if kind == string(toolkit.ErrCanceled) {
			return 0, false
		}
		return p.errorPrint(call, res, err, kind) | 1, true
	}
	came = p.text(res.Output)
	for i := range res.Parts {
		part := &res.Parts[i]
		came = p.mix(came, p.sum(string(part.Kind)))
		came = p.mix(came, p.text(part.Text))
		came = p.mix(came, p.bytes(part.Data))
		came = p.mix(came, p.bytes(part.JSON))
		came = p.mix(came, p.sum(part.URI))
	}
	return came | 1, false
}

func (p *policy) text(s string) uint64 {
	if len(s) <= maxOutput {
		return p.sum(s)
	}
	return p.mix(p.sum(s[:maxOutput/2]), p.sum(s[len(s)-maxOutput/2:])) + uint64(len(s))
}

func (p *policy) bytes(b []byte) uint64 {
	if len(b) <= maxOutput {
		return p.sumBytes(b)
	}
	return p.mix(p.sumBytes(b[:maxOutput/2]), p.sumBytes(b[len(b)-maxOutput/2:])) + uint64(len(b))
}

// errorPrint is the fingerprint of a failure: its error.type, and for a type that
// says little what is left of the message without the words that change with the
// arguments.
func (p *policy) errorPrint(call toolkit.Call, res toolkit.Result, err error, kind string) uint64 {
	print := p.sum(kind)
	if kind != string(toolkit.ErrTool) && kind != toolkit.TypeOther {
		return print
	}
	text := message(err)
	if text == toolkit.ErrTool.Error() {
		text = res.Output
	}
	text = text[:min(len(text), maxErrorText)]
	arguments := call.Arguments[:min(len(call.Arguments), maxOutput)]
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		word = strings.Trim(word, `.,;:!?()[]{}<>"'`+"`")
		if letters(word) && !bytes.Contains(arguments, []byte(word)) {
			print = p.mix(print, p.sum(word))
		}
	}
	return print
}

// message is an error's text; "" if its method panics.
func message(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return err.Error()
}

func letters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return word != ""
}
