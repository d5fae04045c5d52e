// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package webhook tells a chat system, or another program, of calls that wait for approval, and of what became of them.
// Requests are signed as the Standard Webhooks specification says (https://www.standardwebhooks.com): receivers verify
// them with the libraries of that specification. Arguments are redacted. The receiver answers over the HTTP API with a
// token of its own, or sends people to the page.
package webhook
