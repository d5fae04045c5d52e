// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package service asks HTTP services whose addresses the application chooses.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// Ask sends a request and reads its answer, of at most so many bytes. Errors tell the status, and neither the
// address nor what the service wrote; name is the service's in them.
func Ask(client *http.Client, req *http.Request, name string, most int64) ([]byte, error) {
	res, err := client.Do(req)
	if err != nil {
		return nil, unreachable(req.Context(), name, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		return nil, &toolkit.Error{Kind: toolkit.ErrRateLimited, Message: name + " wants fewer requests, try later"}
	case res.StatusCode != http.StatusOK:
		return nil, arg.Failed(fmt.Sprintf("%s answered %d %s", name, res.StatusCode, http.StatusText(res.StatusCode)))
	case err != nil:
		return nil, unreachable(req.Context(), name, err)
	case int64(len(body)) > most:
		return nil, arg.Failed(fmt.Sprintf("%s's answer has more than %d bytes", name, most))
	}
	return body, nil
}

// Malformed is the error of an answer that cannot be decoded.
func Malformed(name string) error {
	return arg.Failed(name + "'s answer is not of the form it should have")
}

func unreachable(ctx context.Context, name string, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "the caller cancelled the call"}
	case ctx.Err() != nil, IsTimeout(err):
		return &toolkit.Error{Kind: toolkit.ErrTimeout, Message: name + " did not answer in time"}
	}
	return arg.Failed(name + " cannot be reached")
}

// IsTimeout reports whether an error of the network is that time is over.
func IsTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
