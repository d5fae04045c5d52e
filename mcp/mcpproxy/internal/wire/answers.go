// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The codes of errors that the proxy answers with: JSON-RPC's, and that of revision 2026-07-28 for headers that do
// not repeat the message.
const (
	CodeInvalidRequest = -32600
	CodeInternal       = -32603
	CodeHeaderMismatch = -32020
)

// Refusal is the answer to a request that cannot be governed.
func Refusal(id jsontext.Value, code int64, got string) ([]byte, error) {
	return json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   RPCError       `json:"error"`
	}{"2.0", id, RPCError{code, "toolscope: got " + got}})
}

// Joined is an array of values.
func Joined(values []jsontext.Value) []byte {
	parts := make([][]byte, len(values))
	for i, v := range values {
		parts[i] = v
	}
	return append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']')
}

// answer is a message with the result of a request.
func AnswerWith(id, result jsontext.Value) []byte {
	text, _ := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Result  jsontext.Value `json:"result"`
	}{"2.0", id, result}) // both values are JSON
	return text
}
