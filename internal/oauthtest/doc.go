// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package oauthtest is a protected MCP server's authorization server for tests: strict where real ones differ. It
// enforces PKCE, the redirect address, the resource on authorization, token and refresh, audience, expiry, rotation of
// refresh tokens, revocation and scopes. It consents by itself, as if a person had.
package oauthtest
