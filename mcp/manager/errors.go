// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// A hidden is an error whose text has no URLs but their origins: a path or a query may hold
// a key, and the text goes to the model.
type hidden struct {
	text string
	err  error
}

func (e *hidden) Error() string { return e.text }
func (e *hidden) Unwrap() error { return e.err }

// hideURL takes a server's URL, and the one that a request failed with, out of an error's text.
func hideURL(server string, err error) error {
	if server == "" {
		return err
	}
	urls := []string{server}
	var failed *url.Error
	if errors.As(err, &failed) && failed.URL != "" {
		urls = append(urls, failed.URL)
	}
	text := err.Error()
	for _, full := range urls {
		origin := "its URL"
		if u, err := url.Parse(full); err == nil {
			origin = originOf(u)
		}
		for _, form := range []string{full, strings.Trim(strconv.Quote(full), `"`)} {
			text = strings.ReplaceAll(text, form, origin)
		}
	}
	return &hidden{text, err}
}

// clip shortens a name for an error.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= 80 {
		return s
	}
	return strings.ToValidUTF8(s[:80], "") + "…"
}
