// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolscope/toolscope/mcp/internal/skim"
)

// An envelope looks for a JSON-RPC message's id and method while its bytes pass, without
// keeping them: it tells to which request a message belongs that is too large to be read.
// The zero value is ready.
type envelope struct {
	size int
	skim skim.Skimmer
}

// maxID is the longest id that is answered, in bytes.
const maxID = 256

func (e *envelope) feed(text []byte) {
	e.size += len(text)
	e.skim.Feed(text)
}

// instead is the error that stands for a message that was too large; nil if it is no answer
// to a request.
func (e *envelope) instead(limit int) []byte {
	id := e.skim.Found["id"]
	if _, isMethod := e.skim.Found["method"]; isMethod || len(id) > maxID || !json.Valid([]byte(id)) {
		return nil
	}
	text := fmt.Sprintf("the answer has %d bytes, and the limit is %d (manager.Options.MaxMessage): it was left out",
		e.size, limit)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, codeTooLarge, text)
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
