// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// An envelope looks for a JSON-RPC message's id and method while its bytes pass, without
// keeping them: it tells to which request a message belongs that is too large to be read.
// The zero value is ready.
type envelope struct {
	size            int
	depth           int
	inString        bool
	escaped         bool
	value           bool // after a colon of the outermost object
	member          []byte
	id              []byte
	hasID, isMethod bool
}

// The longest names and ids that are read, in bytes.
const (
	maxMember = 16
	maxID     = 256
)

func (e *envelope) feed(text []byte) {
	e.size += len(text)
	for _, b := range text {
		e.step(b)
	}
}

func (e *envelope) step(b byte) {
	if e.depth == 1 {
		e.keep(b)
	}
	if e.inString {
		switch {
		case e.escaped:
			e.escaped = false
		case b == '\\':
			e.escaped = true
		case b == '"':
			e.inString = false
		}
		return
	}
	switch b {
	case '"':
		e.inString = true
	case '{', '[':
		e.depth++
	case '}', ']':
		e.depth--
	case ':':
		if e.depth == 1 {
			e.value = true
			e.hasID = e.hasID || string(e.member) == `"id"`
			e.isMethod = e.isMethod || string(e.member) == `"method"`
		}
	case ',':
		if e.depth == 1 {
			e.value, e.member = false, e.member[:0]
		}
	}
}

// keep keeps what is a name, or the id's value, of the outermost object.
func (e *envelope) keep(b byte) {
	if !e.inString && (b == ',' || b == ':' || b == '}' || b <= ' ') {
		return
	}
	switch {
	case !e.value:
		if len(e.member) < maxMember {
			e.member = append(e.member, b)
		}
	case string(e.member) == `"id"` && len(e.id) < maxID:
		e.id = append(e.id, b)
	}
}

// instead is the error that stands for a message that was too large; nil if it is no answer
// to a request.
func (e *envelope) instead(limit int) []byte {
	if !e.hasID || e.isMethod || !json.Valid(e.id) {
		return nil
	}
	text := fmt.Sprintf("the answer has %d bytes, and the limit is %d (manager.Options.MaxMessage): it was left out",
		e.size, limit)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, e.id, codeTooLarge, text)
}

// messages are those of a line: one, or those of a batch, as revision 2025-03-26 has them.
// What is none is passed over.
func messages(line []byte) (list []jsonrpc.Message) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' {
		if json.Unmarshal(line, &batch) != nil {
			return nil
		}
	}
	for _, one := range batch {
		if m, err := jsonrpc.DecodeMessage(one); err == nil {
			list = append(list, m)
		}
	}
	return list
}
