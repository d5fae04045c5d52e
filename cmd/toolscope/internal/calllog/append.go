// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"strconv"
	"strings"
	"time"
)

// line is the line of a record, as [Record.Marshal] makes it, with room for its end. A call waits for the line of its
// beginning: reflection would take most of that.
func (r *Record) line() ([]byte, error) {
	if b := r.appendBegin(); b != nil {
		return b, nil
	}
	return r.Marshal()
}

// appendBegin is the line of a call that begins; nil for one that is not plain.
func (r *Record) appendBegin() []byte {
	if r.Record != RecordBegin || !plain(r.Arguments) || r.Time.Year() < 1000 || r.Time.Year() > 9999 {
		return nil
	}
	b := make([]byte, 0, 320+len(r.Arguments))
	b = append(strconv.AppendInt(append(b, `{"v":`...), int64(r.Version), 10), `,"record":"begin"`...)
	ok := true
	text := func(name, value string) {
		if value == "" {
			return
		}
		ok = ok && plain(value) && strings.IndexByte(value, '"') < 0
		b = append(append(append(b, `,"`...), name...), `":"`...)
		b = append(append(b, value...), '"')
	}
	text("call", r.Call)
	text("parent_call", r.Parent)
	text("server", r.Server)
	b = append(r.Time.AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano), '"')
	text("tool", r.Tool)
	text("requested_name", r.Requested)
	text("session", r.Session)
	text("agent", r.Agent)
	if r.Turn != 0 {
		b = strconv.AppendInt(append(b, `,"turn":`...), int64(r.Turn), 10)
	}
	text("id", r.ID)
	text("intent", r.Intent)
	if len(r.Arguments) > 0 {
		b = append(append(b, `,"arguments":`...), r.Arguments...)
	}
	if r.ArgumentsRedacted {
		b = append(b, `,"arguments_redacted":true`...)
	}
	if r.ArgumentsCut {
		b = append(b, `,"arguments_cut":true`...)
	}
	text("arguments_fp", r.Fingerprint)
	if !ok {
		return nil
	}
	return append(b, '}')
}

// plain reports whether a text of JSON, or of a string in it, is written as it is.
func plain[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}
