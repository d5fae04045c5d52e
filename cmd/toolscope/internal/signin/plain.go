// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/oauth2"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
)

// errorCodes are the codes of RFC 6749 (5.2), RFC 8707 and RFC 7009.
var errorCodes = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
	"invalid_scope", "invalid_target", "unsupported_token_type", "server_error", "temporarily_unavailable",
}

// errorCode is a code of an authorization server, if it is one of OAuth.
func errorCode(code string) string {
	if slices.Contains(errorCodes, code) {
		return code
	}
	return "a code that is none of OAuth's"
}

// plain is an error without what an authorization server wrote, but for a code of OAuth: its description may repeat
// the request, and so a code, a verifier or a refresh token.
func plain(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) {
		text := "the authorization server gave no token"
		if answer.Response != nil {
			text += fmt.Sprintf(" (status %d)", answer.Response.StatusCode)
		}
		if answer.ErrorCode != "" {
			text += ": " + errorCode(answer.ErrorCode)
		}
		return errors.New(clean(text))
	}
	var far errReach
	if errors.As(err, &far) {
		return far
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return errors.New("the authorization server did not answer in time")
	}
	return errors.New(clean(err.Error()))
}

// maxText is how much of an error is shown, in bytes.
const maxText = 500

// clean is a text of a server's as it may be shown: redacted, and on one line without control characters.
func clean(text string) string {
	text, _ = redact.Default().TextMax(text, maxText)
	return display.Plain(text)
}

// oneLine returns a function that says each message on one line: what a server wrote forges no other one.
func oneLine(say func(format string, args ...any)) func(format string, args ...any) {
	return func(format string, args ...any) { say("%s", display.Plain(fmt.Sprintf(format, args...))) }
}
