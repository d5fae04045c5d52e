// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// A ServerError is what is wrong with a server, or what became of a request to it.
// [errors.As] finds the protocol's error beneath, a *jsonrpc.Error, if the server answered
// with one.
type ServerError struct {
	Server string
	// Sent says that the server may have got the request.
	Sent bool
	Err  error
}

// Error names the server.
func (e *ServerError) Error() string { return fmt.Sprintf("server %.80q: %v", e.Server, e.Err) }

// Unwrap gives Err.
func (e *ServerError) Unwrap() error { return e.Err }

var (
	errTimeout     = errors.New("it did not answer in time")
	errUnreachable = errors.New("it is not connected")
	errStartTime   = errors.New("it was not ready within its start timeout")
	errPing        = errors.New("it does not answer pings")
	errStopped     = errors.New("it was stopped")
	errLost        = errors.New("the connection to it was lost")
)

func unknownServer(name string) error {
	return fmt.Errorf("manager: got the server %.80q, want one that there is", name)
}

// codeTooLarge is the code of the answer that stands for one that is too large. Codes from
// -32000 to -32099 are for implementations.
const codeTooLarge = -32090

// Codes of the SDK's own errors, which it makes of failures of the connection.
const (
	codeClientClosing = -32003
	codeServerClosing = -32004
	codeRejected      = -32005
)

// verdict is what a request's ending says of the server.
type verdict uint8

const (
	well   verdict = iota // it answered
	sick                  // it failed
	unsaid                // it is somebody else's matter
)

// judge tells what an error says of the server that was asked. ctx is the request's.
func judge(ctx context.Context, err error) verdict {
	if err == nil {
		return well
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if errors.Is(cause, errTimeout) || errors.Is(cause, errLost) || errors.Is(cause, context.DeadlineExceeded) {
			return sick
		}
		return unsaid
	}
	if wire := answered(err); wire != nil {
		switch wire.Code {
		case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams,
			-32002, codeTooLarge, mcp.CodeURLElicitationRequired, mcp.CodeMissingRequiredClientCapabilities:
			return well // it says what is wrong with the request
		}
	}
	return sick
}

// answered is the error that the server answered with; nil if the connection failed.
func answered(err error) *jsonrpc.Error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	switch wire.Code {
	case codeClientClosing, codeServerClosing, codeRejected:
		return nil
	}
	return wire
}

// callError is a failed call as callers see it.
func callError(ctx context.Context, server, tool string, sent bool, err error) error {
	own := &ServerError{Server: server, Sent: sent, Err: err}
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		own.Err = errTimeout
		return &toolkit.Error{Kind: toolkit.ErrTimeout, Tool: tool, Message: own.Error(), Cause: own}
	case ctx.Err() != nil:
		own.Err = context.Cause(ctx)
	}
	return own
}
