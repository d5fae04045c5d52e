// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package govern runs calls of tools through the policies of a scope, whatever the transport: the transport gives a
// function that sends the request on.
package govern
