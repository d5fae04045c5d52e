// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
)

// DialOptions say where the server is, and what encrypts payloads. Exactly one of KeyFile and KeyVariable must be set.
type DialOptions struct {
	// Options are those of Temporal's client. DataConverter and FailureConverter must be nil.
	client.Options
	// KeyFile is a file with one key, or two: 32 bytes in base64, one a line. The first key encrypts, both decrypt.
	KeyFile string
	// KeyVariable is the name of an environment variable with the keys, separated by a comma.
	KeyVariable string
}

// A Client is a connection to a server, with keys. Make one with [Dial]; Close ends it.
type Client struct {
	client.Client
	secured bool // made by Dial
}

// Dial connects to a server. It fails if the server cannot be reached.
func Dial(ctx context.Context, o DialOptions) (*Client, error) {
	if o.DataConverter != nil || o.FailureConverter != nil {
		return nil, errors.New("temporal: DataConverter, FailureConverter: got a converter, want nil: Dial sets those that encrypt")
	}
	keys, err := readKeys(o.KeyFile, o.KeyVariable)
	if err != nil {
		return nil, err
	}
	o.DataConverter = newConverter(keys)
	o.FailureConverter = sdk.NewDefaultFailureConverter(sdk.DefaultFailureConverterOptions{
		DataConverter: o.DataConverter, EncodeCommonAttributes: true, // messages and stacks
	})
	c, err := client.DialContext(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	return &Client{c, true}, nil
}
