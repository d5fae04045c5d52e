// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"errors"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolscope/toolscope/toolkit"
)

// codeResourceNotFound is the code of earlier revisions for a resource that is not there.
const codeResourceNotFound = -32002

// status is what became of an operation, by the conventions' rule for each side.
type status struct {
	code      string // rpc.response.status_code; "" without a JSON-RPC error
	errorType string // "" for an operation that did not fail
}

// maxCodes bounds how many different error codes are distinguished: a peer may make
// up any.
const maxCodes = 64

// statusOf tells how an error ends an operation. fallback is the error.type of one that
// says nothing of itself.
func (w *watcher) statusOf(err error, fallback string) (s status) {
	if err == nil {
		return s
	}
	s.errorType = toolkit.TypeOf(err)
	if s.errorType == string(toolkit.ErrTool) && !errors.Is(err, toolkit.ErrTool) {
		s.errorType = fallback
	}
	s.errorType = w.observer.Protocol().ErrorType(s.errorType)
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire):
		s.code = strconv.FormatInt(wire.Code, 10)
		if !w.codes.addName(s.code, maxCodes) {
			s.code = toolkit.TypeOther
		}
		s.errorType = s.code
		if w.server && callersFault(wire.Code) {
			s.errorType = ""
		}
	case w.server && s.errorType != string(toolkit.ErrCanceled):
		s.code = "0" // what the SDK answers for an error without a code
	}
	return s
}

// answered is an error that a server's tool returned as such, and not as a result: the
// caller gets it as an error of the protocol.
type answered struct{ error }

func (e answered) Unwrap() error { return e.error }

// recordedError is the error as it is recorded that a tools/call ended with: on a client what the server
// said, without the SDK's words around it.
func (w *watcher) recordedError(err error) error {
	if w.server {
		return answered{err}
	}
	if wire := (*jsonrpc.Error)(nil); errors.As(err, &wire) {
		return wire
	}
	return err
}

// answeredWith reports whether a call that failed with err was answered with an error of the
// protocol, if it was answered.
func answeredWith(err error) bool {
	if err == nil {
		return false
	}
	var wire *jsonrpc.Error
	var by answered
	return errors.As(err, &by) || errors.As(err, &wire)
}

// callersFault reports whether a code says that the request was at fault: to the
// conventions that is no failure of who handled it.
func callersFault(code int64) bool {
	switch code {
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams,
		codeResourceNotFound:
		return true
	}
	return false
}
