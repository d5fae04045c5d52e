// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package signin makes toolscope an OAuth client of an MCP server, for the MCP clients behind it:
//
//	client, err := signin.New(signin.Options{Target: target, Say: say, Open: signin.Browser})
//	transport := client.Transport(http.DefaultTransport) // adds the token, and renews it
//
// The MCP clients see a server that needs no sign-in: the transport removes their Authorization header and the
// server's challenges, and answers requests below /.well-known/ with 404. It signs in with the authorization code
// flow of the MCP SDK (PKCE, a redirect to a loopback address) when the server answers 401, refreshes tokens
// before they expire, and asks for more scopes when the server answers 403 insufficient_scope.
//
// Tokens are kept in a file for each server that only the user can read. They are sent to the server's own origin
// and path only. Neither tokens nor codes nor verifiers are part of an error or of a message to the operator.
package signin
