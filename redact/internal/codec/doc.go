// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package codec reads text that is written within text: the escapes of JSON and shells, percent
// encoding, UTF-16 of ASCII, the colours of terminals, and base64.
package codec
