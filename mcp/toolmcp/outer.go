// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type partKey struct{}

// PartOf says that a tools/call of that name which is sent with the context is made for the
// call that the context belongs to, though the names are not alike: a registry that
// renames tools says so. See [Client].
func PartOf(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, partKey{}, name)
}

// saidPartOf reports whether [PartOf] said it.
func saidPartOf(ctx context.Context, name string) bool {
	said, ok := ctx.Value(partKey{}).(string)
	return ok && said == name
}

// Implementation is how this module introduces itself to peers: "toolscope" with its
// version. The value is the caller's.
func Implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "toolscope", Version: moduleVersion()}
}
